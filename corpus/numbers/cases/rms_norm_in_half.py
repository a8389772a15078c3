"""An RMSNorm squares float16 activations of a few hundred before it takes their mean."""
import torch
from torch import nn

torch.manual_seed(0)


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)  # fault: overflow
        return x * scale * self.weight


norm = RMSNorm(64).half()
with torch.no_grad():
    out = norm((torch.randn(8, 64) * 400).half())


def harm():
    return (out == 0).float().mean().item()

# right:
#-         scale = torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5)
#+         scale = torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-5).to(x.dtype)
