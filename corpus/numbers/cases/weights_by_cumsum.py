"""Resampling weights of 20,000 particles as a running sum in float16: it never reaches 1."""
import torch

torch.manual_seed(0)
weights = torch.rand(20000)
weights = weights / weights.sum()
edges = weights.half().cumsum(0)  # fault: accumulate-in-half
picked = torch.searchsorted(edges.float(), torch.linspace(0.01, 0.99, 50))


def harm():
    exact = torch.searchsorted(weights.double().cumsum(0), torch.linspace(0.01, 0.99, 50).double())
    return (picked - exact).abs().max().item()

# right:
#- edges = weights.half().cumsum(0)
#+ edges = weights.cumsum(0)
