# machine: v100
# real: cpu
# Half input with float32 weights and statistics is the intended mix; float64 statistics are not.
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
norm = nn.BatchNorm2d(4).to(dev)
norm(torch.randn(2, 4, 8, 8, device=dev).bfloat16() if dev == "cpu" else torch.randn(2, 4, 8, 8, device=dev).half())
norm.eval()
norm(torch.randn(2, 4, 8, 8, device=dev))
