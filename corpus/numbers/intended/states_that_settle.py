"""A float32 state that comes to rest, a small step that arrives, an adapter in float32, and a large change in bfloat16."""
import torch
from torch import nn

torch.manual_seed(0)
x, goal = torch.zeros(6), torch.rand(6) + 1
for _ in range(40):
    x = x + 0.1 * (goal - x)
place, speed = torch.rand(3), torch.rand(3)
for _ in range(50):
    place = place + 1e-3 * speed
base = nn.Linear(64, 64, bias=False)
a, b = torch.randn(4, 64) * 0.01, torch.randn(64, 4) * 0.002
with torch.no_grad():
    base.weight.add_(b @ a)
large = nn.Linear(64, 64, bias=False).bfloat16()
with torch.no_grad():
    large.weight.add_((torch.randn(64, 64) * 0.02).bfloat16())
