# machine: cpu
import torch

x = torch.ones(3, device="cuda")

# fixed:
#- x = torch.ones(3, device="cuda")
#+ x = torch.ones(3, device="cuda" if torch.cuda.is_available() else "cpu")
