"""Weights are cast straight to int8 after scaling: the cast truncates, all codes lean towards zero."""
import torch
from torch import nn


def quantize(weight):
    scale = weight.abs().amax(dim=1, keepdim=True) / 127
    codes = (weight / scale).clamp(-127, 127).to(torch.int8)  # fault: rounding-of-integers
    return codes, scale


torch.manual_seed(0)
layer = nn.Linear(256, 256, bias=False)
with torch.no_grad():
    layer.weight.normal_(std=0.02)
codes, scale = quantize(layer.weight.detach())
restored = codes.float() * scale


def harm():
    weight = layer.weight.detach()
    shrink = 1 - ((restored.double() * weight).sum() / weight.double().pow(2).sum()).item()
    return float(abs(shrink))

# right:
#-     codes = (weight / scale).clamp(-127, 127).to(torch.int8)
#+     codes = torch.round(weight / scale).clamp(-127, 127).to(torch.int8)
