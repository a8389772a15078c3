"""Scores that a half network gives, distinct ones that are cast, small grids in bfloat16, sums of exponentials with a mask."""
import torch
import torch.nn.functional as F
from torch import nn


def log_of_sum(x):
    most = x.amax(-1, keepdim=True)
    return (x - most).exp().sum(-1).log() + most.squeeze(-1)


torch.manual_seed(0)
gate = nn.Linear(32, 64, bias=False).bfloat16().requires_grad_(False)
best = gate(torch.randn(64, 32).bfloat16()).topk(4)
spread = torch.randperm(200).float().reshape(4, 50)
chosen = spread.bfloat16().topk(5)
assert torch.equal(chosen.indices, spread.topk(5).indices)

rows, columns = torch.meshgrid(torch.linspace(-1, 1, 24), torch.linspace(-1, 1, 24), indexing="ij")
grid = torch.stack([columns, rows], -1)[None].bfloat16()
picture = torch.rand(1, 1, 24, 24)
same = F.grid_sample(picture, grid.float(), align_corners=True)
assert (same - picture).abs().mean() < 0.01

scores = torch.randn(8, 16) * 300
scores[:, 5:8] = -1e9
total = log_of_sum(scores)
assert torch.allclose(total, torch.logsumexp(scores, -1))

state = torch.zeros(4, 8)
outputs = []
for token in torch.rand(300, 4, 8):
    state = 0.999 * state + 0.001 * token
    outputs.append(state.bfloat16())
shown = torch.stack(outputs)

lengths = torch.rand(64).half() * 3 + 0.5
scaled = torch.randn(64).half() / lengths
gain = nn.Parameter(torch.randn(4, 8))
with torch.no_grad():
    mixed = gain + torch.rand(4, 8).bfloat16()
with torch.autocast("cpu", torch.bfloat16):
    noisy = torch.rand(16, 16).bfloat16() + 0.1 * torch.randn(16, 16)
scaler = torch.amp.GradScaler("cpu", init_scale=64.0)
weight = nn.Parameter(torch.ones(4))
optimizer = torch.optim.SGD([weight], lr=0.1)
for _ in range(2):
    optimizer.zero_grad(set_to_none=False)
    for part in torch.rand(3, 4):
        scaler.scale((weight * part).sum()).backward()
    scaler.step(optimizer)
    scaler.update()

padding = (1 - torch.ones(2, 1, 1, 16, dtype=torch.long).index_fill(3, torch.tensor([14, 15]), 0)) * -10000
barred = torch.randn(2, 4, 16, 16).bfloat16() + padding.bfloat16()
odds = torch.log1p(-torch.rand(64).bfloat16() / 2)
