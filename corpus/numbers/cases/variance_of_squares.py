"""E[x^2] - E[x]^2 in float32 of numbers around 10,000: what is left is rounding."""
import torch

torch.manual_seed(0)
heights = torch.randn(2048) + 10000
variance = heights.square().mean() - heights.mean().square()  # fault: cancellation


def harm():
    return abs(variance.item() / heights.double().var(correction=0).item() - 1)

# right:
#- variance = heights.square().mean() - heights.mean().square()
#+ variance = (heights - heights.mean()).square().mean()
