# machine: a100
# real: cpu
# The same adapter under autocast is right: float32 adapters on a bfloat16 base.
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
base = nn.Linear(8, 8).to(dev, torch.bfloat16).requires_grad_(False)
a, b = nn.Linear(8, 2, bias=False).to(dev), nn.Linear(2, 8, bias=False).to(dev)
optimizer = torch.optim.AdamW([*a.parameters(), *b.parameters()])
with torch.autocast(dev, dtype=torch.bfloat16):
    x = torch.randn(2, 8, device=dev)
    loss = (base(x) + b(a(x))).float().pow(2).mean()
loss.backward()
assert a.weight.grad.dtype == torch.float32
optimizer.step()
