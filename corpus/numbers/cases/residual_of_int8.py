"""A quantised block adds its int8 output to the int8 stream: sums above 127 wrap before the next scale."""
import torch


def quantise(x, scale):
    return (x / scale).round().clamp(-128, 127).to(torch.int8)


torch.manual_seed(0)
stream, branch = torch.randn(256) * 0.5, torch.randn(256) * 0.5
scale = 0.015
total = quantise(stream, scale) + quantise(branch, scale)  # fault: wrap
out = total.float() * scale


def harm():
    return (out - stream - branch).abs().max().item()

# right:
#- total = quantise(stream, scale) + quantise(branch, scale)
#+ total = quantise(stream, scale).int() + quantise(branch, scale)
