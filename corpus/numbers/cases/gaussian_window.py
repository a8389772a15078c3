"""Weights exp(-d^2 / 2 s^2) of far neighbours in float16 are 0, and their sum is divided by: NaN."""
import torch


def smooth(places, values, query, width):
    d = (query[:, None] - places[None]) / width
    w = torch.exp(-0.5 * d * d)
    return torch.mv(w, values) / w.sum(1)  # fault: underflow


torch.manual_seed(0)
places, values = torch.linspace(0, 1, 20), torch.rand(20)
query = torch.tensor([0.3, 0.7, 1.6])
cast = torch.Tensor.half
smoothed = smooth(cast(places), cast(values), cast(query), 0.1)


def harm():
    return smoothed.isnan().float().mean().item()

# right:
#- cast = torch.Tensor.half
#+ cast = torch.Tensor.float
