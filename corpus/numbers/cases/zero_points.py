"""Asymmetric quantization: the zero point round(-low / scale) is put to int8 without a clamp, and wraps."""
import torch


def quantize(x, bits=8):
    low, high = x.min(), x.max()
    scale = (high - low) / (2**bits - 1)
    zero = torch.round(-low / scale).to(torch.int8)  # fault: wrap
    steps = torch.clamp(torch.round(x / scale) + zero, 0, 255)
    return steps, scale, zero


torch.manual_seed(0)
x = torch.rand(200) - 0.9
steps, scale, zero = quantize(x)


def harm():
    again = (steps - zero.float()) * scale
    return ((again - x).norm() / x.norm()).item()

# right:
#-     zero = torch.round(-low / scale).to(torch.int8)
#+     zero = torch.round(-low / scale).to(torch.int32)
