"""Roots at 0 whose gradient a gate takes out, norms of rows of 0, a root of what `where` keeps from 0."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 8)
x = torch.randn(16, 8)
out = net(x)
hidden = out.relu().sqrt().sum()
rows = (out * torch.tensor([[1.0]] * 8 + [[0.0]] * 8)).norm(dim=-1).sum()
safe = torch.where(out > 0, out, 1.0).sqrt().sum()
bounded = out.clamp(min=1e-6).pow(0.5).sum()
spread = (out * 0).std(-1).sum()
(hidden + rows + safe + bounded + spread).backward()
assert all(p.grad.isfinite().all() for p in net.parameters())
