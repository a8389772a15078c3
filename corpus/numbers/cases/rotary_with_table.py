"""Rotary tables stay float32 and turn bfloat16 queries and keys into float32: the scores take twice the memory."""
import torch
from torch import nn


def rotate_half(x):
    a, b = x.chunk(2, -1)
    return torch.cat((-b, a), -1)


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, dim, bias=False) for _ in range(3))

    def forward(self, x, cos, sin):
        q, k, v = self.q(x), self.k(x), self.v(x)
        q = q * cos + rotate_half(q) * sin  # fault: widening
        k = k * cos + rotate_half(k) * sin
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        return scores, scores.softmax(-1).to(v.dtype) @ v


torch.manual_seed(0)
angles = torch.outer(torch.arange(64).float(), 10000 ** (-torch.arange(0, 32, 2) / 32)).repeat(1, 2)
cos, sin = angles.cos(), angles.sin()
layer = Attention(32).bfloat16()
scores, out = layer(torch.randn(2, 64, 32, dtype=torch.bfloat16), cos, sin)


def harm():
    return scores.element_size() / 2 - 1

# right:
#- cos, sin = angles.cos(), angles.sin()
#+ cos, sin = angles.cos().bfloat16(), angles.sin().bfloat16()
