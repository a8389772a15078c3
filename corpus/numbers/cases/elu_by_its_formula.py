"""An activation of the program's own, exp(x) - 1 below 0, in bfloat16: small numbers are lost."""
import torch
from torch import nn


class Elu(nn.Module):
    def forward(self, x):
        return torch.where(x > 0, x, torch.exp(x.clamp(max=0)) - 1)  # fault: cancellation


torch.manual_seed(0)
x = 0.01 * torch.randn(4, 64)
out = nn.Sequential(nn.Identity(), Elu())(x.bfloat16())


def harm():
    exact = torch.nn.functional.elu(x.double())
    return ((out.double() - exact).abs().sum() / exact.abs().sum()).item()

# right:
#- out = nn.Sequential(nn.Identity(), Elu())(x.bfloat16())
#+ out = nn.Sequential(nn.Identity(), nn.ELU())(x.bfloat16())
