"""The moving averages of a vector quantiser's codebook are bfloat16 buffers."""
import torch
from torch import nn
import torch.nn.functional as F


class VectorQuantizer(nn.Module):
    def __init__(self, bins, dim, decay=0.999):
        super().__init__()
        self.decay = decay
        self.register_buffer("codebook", torch.randn(bins, dim))
        self.register_buffer("usage", torch.full((bins,), 16.0, dtype=torch.bfloat16))

    @torch.no_grad()
    def forward(self, frames):
        codes = torch.cdist(frames, self.codebook).argmin(-1)
        counts = F.one_hot(codes, len(self.codebook)).sum(0)
        self.usage.lerp_(counts.to(self.usage.dtype), 1 - self.decay)  # fault: state-in-half
        return self.codebook[codes], codes


torch.manual_seed(0)
quantizer = VectorQuantizer(bins=32, dim=8)
latents = torch.randn(2000, 64, 8)
all_codes = []
for frames in latents:
    quantized, codes = quantizer(frames)
    all_codes.append(codes)
dead = quantizer.usage < 1.0  # codes that would be restarted


def harm():
    usage = torch.full((32,), 16.0, dtype=torch.float64)
    for c in all_codes:
        usage = 0.999 * usage + 0.001 * torch.bincount(c, minlength=32)
    error = ((quantizer.usage.double() - usage) / usage).abs().max().item()
    return float(error)

# right:
#-         self.register_buffer("usage", torch.full((bins,), 16.0, dtype=torch.bfloat16))
#+         self.register_buffer("usage", torch.full((bins,), 16.0))
