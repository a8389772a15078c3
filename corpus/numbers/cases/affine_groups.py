"""4-bit groups: the zero point of a group without negative numbers is below 0 and wraps in uint8."""
import torch


def quantize(weight, group=16):
    w = weight.view(-1, group)
    low, high = w.amin(1, keepdim=True), w.amax(1, keepdim=True)
    scale = (high - low).clamp(min=1e-5) / 15
    zero = torch.round(-low / scale).to(torch.uint8)  # fault: wrap
    codes = (torch.round(w / scale) + zero).clamp(0, 15).to(torch.uint8)
    return codes, scale, zero


def dequantize(codes, scale, zero):
    return (codes.float() - zero.float()) * scale


torch.manual_seed(0)
weight = torch.randn(8, 64) * 0.02
weight[:2] += 0.05
restored = dequantize(*quantize(weight)).view_as(weight)


def harm():
    return ((restored - weight).norm() / weight.norm()).item()

# right:
#-     low, high = w.amin(1, keepdim=True), w.amax(1, keepdim=True)
#+     low, high = w.amin(1, keepdim=True).clamp(max=0), w.amax(1, keepdim=True).clamp(min=0)
