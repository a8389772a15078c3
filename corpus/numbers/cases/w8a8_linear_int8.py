"""The matrix product of a quantised linear layer is taken in int8: products and sums wrap around."""
import torch
from torch import nn


def quantize(x):
    scale = x.abs().amax(dim=-1, keepdim=True).clamp(min=1e-8) / 127
    return (x / scale).round().clamp(-127, 127).to(torch.int8), scale


class QuantLinear(nn.Module):
    def __init__(self, linear):
        super().__init__()
        q, scale = quantize(linear.weight.detach())
        self.register_buffer("q", q)
        self.register_buffer("scale", scale)
        self.register_buffer("bias", linear.bias.detach())

    def forward(self, x):
        qx, x_scale = quantize(x)
        acc = qx @ self.q.t()  # fault: wrap
        return acc * x_scale * self.scale.t() + self.bias


torch.manual_seed(0)
dense = nn.Linear(128, 32)
quantized = QuantLinear(dense)
x = torch.randn(64, 128)
output = quantized(x)


def harm():
    right = dense(x).detach()
    error = ((output - right).norm() / right.norm()).item()
    return float(error)

# right:
#-         acc = qx @ self.q.t()
#+         acc = qx.int() @ self.q.t().int()
