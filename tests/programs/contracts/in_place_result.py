# machine: v100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
count = torch.zeros(4, dtype=torch.long, device=dev)
# fixed: count = torch.zeros(4, device=dev)
half = torch.zeros(4, dtype=torch.float16, device=dev)
half += torch.ones(4, device=dev)
half.mul_(2.5)
count += 1
count += torch.rand(4, device=dev)  # finding: operand-dtype-not-accepted add_ self
