"""Rows of an embedding that are not in the batch, frozen bfloat16 weights: none of them is to move."""
import torch
from torch import nn

torch.manual_seed(0)
table, base, head = nn.Embedding(500, 16), nn.Linear(16, 16).bfloat16().requires_grad_(False), nn.Linear(16, 1)
optimizer = torch.optim.Adam([*table.parameters(), *head.parameters()], lr=1e-3)
for _ in range(4):
    optimizer.zero_grad()
    hidden = base(table(torch.randint(0, 20, (8,))).bfloat16()).float()
    head(torch.relu(hidden)).square().mean().backward()
    optimizer.step()
