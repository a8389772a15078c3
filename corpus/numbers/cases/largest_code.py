"""The largest code of a row of int8 by abs: of -128 it is -128, and rows that reach it seem small."""
import torch


def rescale(codes, scale):
    peak = codes.abs().amax(-1, keepdim=True)  # fault: wrap
    return codes.float() * scale / peak.clamp(min=1)


torch.manual_seed(0)
weight = torch.randn(16, 64)
low = weight.amin(-1, keepdim=True)
codes = (weight / low.abs() * 128).round().clamp(-128, 127).to(torch.int8)
out = rescale(codes, 1.0)


def harm():
    return max(0.0, out.abs().amax().item() - 1)

# right:
#- out = rescale(codes, 1.0)
#+ out = rescale(codes.int(), 1.0)
