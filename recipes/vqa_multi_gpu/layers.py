"""What the towers and the language model are made of."""

import torch
import torch.nn.functional as F
from parallel import ColumnParallelLinear, RowParallelLinear, WholeLinear, world
from torch import nn


def split_heads(x, width):
    """(batch, length, heads · width) to (batch, heads, length, width)."""
    return x.unflatten(-1, (-1, width)).transpose(1, 2)


def attend(query, key, value, causal=False):
    """All of (batch, heads, length, width). The query is scaled first, and the softmax is taken in float32: scores of
    float16 overflow, and sums over thousands of them lose the small ones."""
    scores = (query * query.shape[-1] ** -0.5) @ key.transpose(-1, -2)
    if causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        scores = scores.masked_fill(later, float("-inf"))
    attention = scores.softmax(dim=-1, dtype=torch.float32).to(value.dtype)
    return (attention @ value).transpose(1, 2).flatten(2)


def rotate(x, base=10000.0):
    """Rotary positions for (batch, heads, length, width); the angles are float32, as bfloat16 knows no 257."""
    half = x.shape[-1] // 2
    frequencies = base ** -(torch.arange(half, device=x.device, dtype=torch.float32) / half)
    angles = torch.arange(x.shape[-2], device=x.device, dtype=torch.float32)[:, None] * frequencies
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    one, two = x[..., :half], x[..., half:]
    return torch.cat([one * cos - two * sin, one * sin + two * cos], dim=-1)


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        """Squares in float32: those of 256 and more are infinite in float16."""
        wide = x.float()
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)
        return wide.to(x.dtype) * self.weight


class SelfAttention(nn.Module):
    """Of an image: every patch with every other."""

    def __init__(self, width, heads):
        super().__init__()
        self.head_width = width // heads
        self.qkv = ColumnParallelLinear(width, 3 * width, blocks=3)
        self.dense = RowParallelLinear(width, width)

    def forward(self, x):
        query, key, value = (split_heads(part, self.head_width) for part in self.qkv(x).chunk(3, dim=-1))
        return self.dense(attend(query, key, value))


class Mlp(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.up = ColumnParallelLinear(width, inner)
        self.down = RowParallelLinear(inner, width)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


class GatedMlp(nn.Module):
    """SwiGLU, without biases. Where the inner width is not a multiple of the ranks, each holds the whole."""

    def __init__(self, width, inner):
        super().__init__()
        if inner % world() == 0:
            self.gate_and_up = ColumnParallelLinear(width, 2 * inner, bias=False, blocks=2)
            self.down = RowParallelLinear(inner, width, bias=False)
        else:
            self.gate_and_up = WholeLinear(width, 2 * inner)
            self.down = WholeLinear(inner, width)

    def forward(self, x):
        gate, up = self.gate_and_up(x).chunk(2, dim=-1)
        return self.down(F.silu(gate) * up)
