"""Stochastic weight averaging sums 400 snapshots in bfloat16 on a device short of memory, and divides at the end."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 1))
sums = {name: torch.zeros_like(p, dtype=torch.bfloat16) for name, p in net.named_parameters()}
exact = {name: torch.zeros_like(p, dtype=torch.float64) for name, p in net.named_parameters()}
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
taken = 0
for _ in range(400):
    x = torch.randn(32, 12)
    loss = (net(x) - x.mean(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        taken += 1
        for name, p in net.named_parameters():
            sums[name].add_(p)  # fault: accumulate-in-half
            exact[name].add_(p)
averaged = {name: total.float() / taken for name, total in sums.items()}


def harm():
    name = "0.weight"
    return ((averaged[name] - exact[name] / taken).norm() / (exact[name] / taken).norm()).item()

# right:
#- sums = {name: torch.zeros_like(p, dtype=torch.bfloat16) for name, p in net.named_parameters()}
#+ sums = {name: torch.zeros_like(p, dtype=torch.float32) for name, p in net.named_parameters()}
