# machine: v100
import torch

xs = torch.arange(4, device="cuda", dtype=torch.float32) * 2
ys = (torch.arange(4, device="cuda", dtype=torch.float32) * 2).double()
grid = torch.meshgrid(xs, ys, indexing="ij")

# fixed:
#- ys = (torch.arange(4, device="cuda", dtype=torch.float32) * 2).double()
#+ ys = (torch.arange(4, device="cuda", dtype=torch.float32) * 2)
