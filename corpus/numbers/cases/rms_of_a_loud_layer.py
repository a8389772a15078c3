"""torch.rsqrt of a mean of squares in float16 inside a frozen norm: activations of 400 overflow, the output is 0."""
import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.gain, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, hidden):
        power = (hidden * hidden).mean(-1, keepdim=True)  # fault: overflow
        return hidden * torch.rsqrt(power + self.eps) * self.gain


torch.manual_seed(0)
norm = Scale(32).half().requires_grad_(False)
hidden = torch.randn(6, 32) * 400
out = norm(hidden.to(norm.gain.dtype))


def harm():
    return (out == 0).all(-1).float().mean().item() + 1 - out.isfinite().float().mean().item()

# right:
#- norm = Scale(32).half().requires_grad_(False)
#+ norm = Scale(32).requires_grad_(False)
