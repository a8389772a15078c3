"""uint8 weights minus their uint8 zero point, before the scale: all that is below the zero point wraps."""
import torch


def dequantise(q, zero, scale):
    return (q - zero) * scale  # fault: wrap


torch.manual_seed(0)
weight = torch.randn(16, 32)
low, high = weight.amin(1, keepdim=True), weight.amax(1, keepdim=True)
scale = (high - low) / 255
zero = (-low / scale).round().to(torch.uint8)
q = (weight / scale + zero).round().clamp(0, 255).to(torch.uint8)
back = dequantise(q, zero, scale)


def harm():
    return (back - weight).abs().mean().item()

# right:
#-     return (q - zero) * scale
#+     return (q.int() - zero.int()) * scale
