"""The additive attention mask is (1 - mask) * -inf: where the mask is 1 that is 0 times infinity, NaN."""
import math

import torch

torch.manual_seed(0)
query, key, value = torch.randn(3, 2, 6, 16).bfloat16()
mask = torch.ones(2, 6)
mask[1, 4:] = 0  # the second sentence is shorter
bias = (1 - mask[:, None, :]) * float("-inf")  # fault: nan-mask
scores = (query @ key.transpose(-1, -2)).float() / math.sqrt(16)
weights = (scores + bias).softmax(-1)
context = weights.to(value.dtype) @ value


def harm():
    exact = query.double() @ key.double().transpose(-1, -2) / math.sqrt(16)
    right = exact.masked_fill(mask[:, None, :] == 0, float("-inf")).softmax(-1) @ value.double()
    return ((context.double() - right).norm() / right.norm()).item()

# right:
#- bias = (1 - mask[:, None, :]) * float("-inf")
#+ bias = torch.zeros(2, 1, 6).masked_fill(mask[:, None, :] == 0, float("-inf"))
