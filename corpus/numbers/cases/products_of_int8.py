"""A dot product of int8 weights and activations: each product wraps before it is summed."""
import torch

torch.manual_seed(0)
weights = torch.randint(-128, 128, (64,), dtype=torch.int8)
inputs = torch.randint(-128, 128, (64,), dtype=torch.int8)
answer = (weights * inputs).sum()  # fault: wrap


def harm():
    return abs(answer.item() - (weights.long() * inputs.long()).sum().item())

# right:
#- answer = (weights * inputs).sum()
#+ answer = (weights.int() * inputs.int()).sum()
