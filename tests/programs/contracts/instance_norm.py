# machine: a100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
norm = nn.InstanceNorm2d(4, affine=True, track_running_stats=True).to(dev)
y = norm(torch.randn(2, 4, 8, 8, device=dev))
y = nn.InstanceNorm2d(4)(y.bfloat16())
print(y.dtype)
