"""Long sums in bfloat16 whose terms have both signs, or that are started anew: a residual stream, averages, counters."""
import torch
from torch import nn

torch.manual_seed(0)
stream = torch.randn(2, 8, 64).bfloat16()
layer = nn.Linear(64, 64).bfloat16()
with torch.no_grad():
    for _ in range(80):
        stream += 0.1 * layer(stream)
    noise = torch.zeros(64).bfloat16()
    for _ in range(200):
        noise += torch.randn(64).bfloat16()
    window = torch.zeros(64).bfloat16()
    for step in range(200):
        window += torch.rand(64).bfloat16()
        if step % 16 == 15:
            window.zero_()
    seen = torch.zeros((), dtype=torch.bfloat16)
    for _ in range(100):
        seen += 1
    fast = torch.ones(64).bfloat16()
    for _ in range(100):
        fast = 0.9 * fast + 0.1 * torch.rand(64).bfloat16()
