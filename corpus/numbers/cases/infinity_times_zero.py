"""A mask made by a product: 0 * -inf is NaN, at each place that may be looked at."""
import torch

torch.manual_seed(0)
keep = torch.ones(1, 6)
keep[0, 4:] = 0
scores = torch.randn(6, 6)
bias = (1 - keep) * float("-inf")  # fault: nan-mask
weights = torch.softmax(scores + bias, -1)


def harm():
    return weights.isnan().float().mean().item()

# right:
#- bias = (1 - keep) * float("-inf")
#+ bias = torch.zeros(1, 6).masked_fill(keep == 0, float("-inf"))
