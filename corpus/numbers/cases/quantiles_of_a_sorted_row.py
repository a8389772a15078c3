"""Quantiles of a sorted row are read at places q * (n - 1), which are float16 like the row."""
import torch


def quantile(values, q):
    ordered = values.sort(-1).values
    place = q.to(values.dtype) * (values.shape[-1] - 1)
    low = place.floor().long()  # fault: index-in-half
    share = place - low
    return ordered[..., low] * (1 - share) + ordered[..., (low + 1).clamp(max=values.shape[-1] - 1)] * share


torch.manual_seed(0)
errors = torch.rand(12000).square()
q = torch.tensor([0.905, 0.9512, 0.9731, 0.9903])
cuts = quantile(errors.to(torch.float16), q)


def harm():
    exact = quantile(errors.double(), q)
    shares = torch.searchsorted(errors.double().sort().values, cuts.double()) / 12000
    return ((1 - shares) / (1 - q) - 1).abs().max().item()

# right:
#- cuts = quantile(errors.to(torch.float16), q)
#+ cuts = quantile(errors, q)
