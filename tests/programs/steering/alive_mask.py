# machine: v100
# real: cpu
# Rays that march until all have hit.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
pos = torch.zeros(50, 3, device=dev)
alive = torch.ones(50, dtype=torch.bool, device=dev)
steps = 0
while alive.sum() > 0 and steps < 200:
    d = (3 - pos[alive].norm(dim=1)).clamp(min=0)
    pos[alive] = pos[alive] + d[:, None] * 0.5 + 0.01
    alive = pos.norm(dim=1) < 2.5
    steps += 1
active = torch.arange(50, device=dev)
while len(active):
    active = active[torch.rand(len(active), device=dev) < 0.5]
left = torch.ones(30, device=dev)
while left.count_nonzero() > 5:
    left = left * (torch.rand(30, device=dev) < 0.8)
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
