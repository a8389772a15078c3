"""A query that may look at nothing: a row of scores of -inf only gives NaN."""
import torch

torch.manual_seed(0)
scores = torch.randn(2, 3, 5)
lengths = torch.tensor([5, 0])
hidden = torch.arange(5)[None, None] >= lengths[:, None, None]
scores = scores + torch.zeros(2, 1, 5).masked_fill(hidden, float("-inf"))
weights = torch.softmax(scores, dim=-1)  # fault: nan-mask


def harm():
    return float(weights.isnan().sum())

# right:
#- scores = scores + torch.zeros(2, 1, 5).masked_fill(hidden, float("-inf"))
#+ scores = scores + torch.zeros(2, 1, 5).masked_fill(hidden, -1e9)
