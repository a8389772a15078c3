"""A square weight gets 8-bit codes: the scale of each row divides the columns, as its dimension was not kept."""
import torch

torch.manual_seed(0)
weight = torch.randn(48, 48) * torch.logspace(-0.3, 0.3, 48)[:, None]
scale = weight.abs().amax(1) / 127
codes = torch.clamp(torch.round(weight / scale), -127, 127).to(torch.int8)  # fault: overflow
x = torch.randn(64, 48)
y = x @ (codes.float() * scale).T


def harm():
    exact = x @ weight.T
    return ((y - exact).norm() / exact.norm()).item()

# right:
#- scale = weight.abs().amax(1) / 127
#+ scale = weight.abs().amax(1, keepdim=True) / 127
