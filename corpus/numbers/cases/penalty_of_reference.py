"""The k3 estimate of a divergence, exp(d) - d - 1 of small d, in bfloat16: it is rounding, often 0."""
import torch
from torch import nn


def k3(logp, ref_logp):
    d = ref_logp - logp
    return torch.exp(d) - d - 1  # fault: cancellation


class GRPOLoss(nn.Module):
    def __init__(self, beta=0.04):
        super().__init__()
        self.beta = beta

    def forward(self, logp, old_logp, ref_logp, advantage):
        ratio = torch.exp(logp - old_logp)
        return -(ratio * advantage - self.beta * k3(logp, ref_logp)).mean()


torch.manual_seed(0)
logp = -torch.rand(8, 64) * 3
drift = torch.randn(8, 64) * 0.03
dtype = torch.bfloat16
penalty = k3(logp.to(dtype) * 0, drift.to(dtype))
loss = GRPOLoss()(logp.to(dtype), logp.to(dtype), (logp + drift).to(dtype), torch.randn(8, 1).to(dtype))


def harm():
    exact = k3(torch.zeros_like(drift).double(), drift.double())
    return ((penalty.double() - exact).norm() / exact.norm()).item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
