"""Rows that are masked with -inf, but never whole ones; an empty row gets zeros by hand."""
import torch

torch.manual_seed(0)
scores = torch.randn(2, 4, 4)
hidden = torch.ones(4, 4, dtype=torch.bool).triu(1)
weights = scores.masked_fill(hidden, float("-inf")).softmax(-1)
keep = torch.tensor([[True] * 4, [False] * 4])
logits = torch.randn(2, 4).masked_fill(~keep, float("-inf"))
chances = torch.where(keep.any(-1, keepdim=True), logits.softmax(-1), 0.0).nan_to_num(0.0)
best = logits.amax(-1)
