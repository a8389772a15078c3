# machine: v100
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weights = torch.rand(4, 4, device=device)
x = torch.rand(2, 4).to("cuda:1")
x @ weights

# fixed:
#- x = torch.rand(2, 4).to("cuda:1")
#+ x = torch.rand(2, 4).to(device)
