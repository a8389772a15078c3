"""Weights are divided by a scale of 127 steps to each side and cast without a clamp: outliers change their sign."""
import torch
from torch import nn


class Quantized(nn.Module):
    def __init__(self, linear):
        super().__init__()
        weight = linear.weight.detach()
        self.scale = weight.std() * 3 / 127
        self.register_buffer("kept", (weight / self.scale).round().to(torch.int8))  # fault: wrap

    def forward(self, x):
        return x @ (self.kept.float() * self.scale).T


torch.manual_seed(0)
linear = nn.Linear(64, 64)
nn.init.normal_(linear.weight, std=0.02)
quantized = Quantized(linear)
x = torch.randn(4, 64)
with torch.no_grad():
    out = quantized(x)


def harm():
    kept = quantized.kept.float() * quantized.scale
    return ((kept - linear.weight).abs() > 0.06).float().mean().item() * 4

# right:
#-         self.register_buffer("kept", (weight / self.scale).round().to(torch.int8))
#+         self.register_buffer("kept", (weight / self.scale).round().clamp(-127, 127).to(torch.int8))
