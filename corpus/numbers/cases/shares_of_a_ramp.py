"""A ramp of arange(n) / n, integers divided, is float32 and widens the bfloat16 tokens that it fades in."""
import torch
from torch import nn


class Fade(nn.Module):
    def forward(self, tokens):
        n = tokens.shape[1]
        ramp = torch.arange(1, n + 1, device=tokens.device) / n
        return tokens * ramp[:, None]  # fault: widening


torch.manual_seed(0)
block = nn.Sequential(nn.Linear(32, 32), Fade()).to(torch.bfloat16)
with torch.no_grad():
    out = block(torch.randn(2, 64, 32).bfloat16())


def harm():
    return out.nbytes / (2 * 64 * 32 * 2) - 1

# right:
#-         return tokens * ramp[:, None]
#+         return tokens * ramp[:, None].to(tokens.dtype)
