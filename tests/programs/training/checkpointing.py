# machine: a100
# real: cpu
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

dev = "cuda" if torch.cuda.is_available() else "cpu"
blocks = nn.Sequential(*(nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1), nn.ReLU()) for _ in range(4))).to(dev)
x = torch.randn(2, 8, device=dev, requires_grad=True)
with torch.autocast(dev, dtype=torch.bfloat16):
    y = x
    for block in blocks:
        y = checkpoint(block, y, use_reentrant=False)
    for block in blocks:
        y = checkpoint(block, y, use_reentrant=True)
    y = checkpoint_sequential(blocks, 2, y, use_reentrant=False)
y.float().sum().backward()
assert x.grad is not None and blocks[0][0].weight.grad.dtype == torch.float32
