"""Attention without a scale in float16: large queries and keys overflow, softmax gives NaN."""
import torch

torch.manual_seed(0)
query = (torch.randn(2, 8, 128) * 60).half()
key = (torch.randn(2, 8, 128) * 60).half()
scores = query @ key.transpose(1, 2)  # fault: overflow
weights = (scores / 128 ** 0.5).softmax(-1)


def harm():
    return float(weights.isnan().sum())

# right:
#- scores = query @ key.transpose(1, 2)
#- weights = (scores / 128 ** 0.5).softmax(-1)
#+ scores = (query / 128 ** 0.5) @ key.transpose(1, 2)
#+ weights = (scores / 1).softmax(-1)
