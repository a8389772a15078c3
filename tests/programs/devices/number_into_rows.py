# machine: a100
# `x[[0, 2]] = 1` makes a tensor of the number before any op of `x`: what ran last may have been on another device.
import torch

for _ in range(2):
    target = torch.zeros(5, dtype=torch.long)
    target[[1, 4]] = 1
    scores = torch.rand(5, device="cuda")
    scores[[0, 2]] = 0.5
    hits = (scores > 0.5).float().mean()
    print(hits.item())
