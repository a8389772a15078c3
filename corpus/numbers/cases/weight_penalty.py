"""The squared norm of all weights, summed in float16, is infinite."""
import torch

torch.manual_seed(0)
weights = [torch.randn(300, 300).half() for _ in range(3)]
penalty = sum(weight.square().sum() for weight in weights)  # fault: overflow
scaled = 1e-4 * penalty


def harm():
    return float(scaled.isinf())

# right:
#- penalty = sum(weight.square().sum() for weight in weights)
#+ penalty = sum(weight.float().square().sum() for weight in weights)
