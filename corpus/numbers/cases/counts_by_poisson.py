"""A Poisson likelihood by its formula in float32: rate ** k of sixty is infinite, and so is the factorial."""
import torch


def poisson_pmf(rate, k):
    return rate.pow(k) * torch.exp(-rate) / torch.exp(torch.lgamma(k + 1))  # fault: overflow


rate = torch.tensor([3.0, 12.0, 60.0, 64.0])
k = torch.tensor([2.0, 15.0, 58.0, 66.0])
nll = -poisson_pmf(rate, k).log()


def harm():
    return (~nll.isfinite()).float().mean().item()

# right:
#-     return rate.pow(k) * torch.exp(-rate) / torch.exp(torch.lgamma(k + 1))
#+     return torch.exp(k * rate.log() - rate - torch.lgamma(k + 1))
