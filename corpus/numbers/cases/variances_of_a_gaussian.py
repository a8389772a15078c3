"""A Gaussian's log-likelihood in float16 with a variance exp(logvar) of small deviations: they are 0, and divided by."""
import torch
from torch import nn


class GaussianHead(nn.Module):
    def nll(self, mean, logvar, target):
        variance = logvar.exp()
        return 0.5 * (logvar + (target - mean) ** 2 / variance).mean()  # fault: underflow


torch.manual_seed(0)
mean, target = torch.zeros(64), torch.randn(64) * 1e-5
logvar = torch.full((64,), -23.0)
head = GaussianHead()
dtype = torch.float16
loss = head.nll(mean.to(dtype), logvar.to(dtype), target.to(dtype))


def harm():
    exact = 0.5 * (logvar.double() + target.double() ** 2 / logvar.double().exp()).mean().item()
    return 1.0 if not loss.isfinite() else abs(loss.item() - exact)

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
