# machine: v100
import torch
from torch import nn

net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda", dtype=torch.float16)
scale = torch.tensor([0.5], device="cuda")
x = x * scale
net(x)

# fixed:
#- scale = torch.tensor([0.5], device="cuda")
#+ scale = torch.tensor([0.5], device="cuda", dtype=x.dtype)
