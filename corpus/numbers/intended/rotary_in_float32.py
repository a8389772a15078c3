"""Rotary positions by float32 tables, cast back where they are applied: half tensors are float32 for one formula."""
import torch
from torch import nn


def tables(length, dim):
    frequencies = 10000.0 ** (-torch.arange(0, dim, 2).float() / dim)
    angles = torch.outer(torch.arange(length).float(), frequencies).repeat(1, 2)
    return angles.cos(), angles.sin()


def rotated(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    turned = torch.cat([-second, first], dim=-1)
    return (x * cos + turned * sin).to(x.dtype)


def rotated_by_halves(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    cos, sin = cos[..., :first.shape[-1]], sin[..., :first.shape[-1]]
    out = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
    return out.type_as(x)


torch.manual_seed(0)
attention = nn.Linear(64, 192).bfloat16()
cos, sin = tables(48, 64)
with torch.no_grad():
    query, key, value = attention(torch.randn(2, 48, 64).bfloat16()).chunk(3, dim=-1)
    query, key = rotated(query, cos, sin), rotated_by_halves(key, cos, sin)
    out = nn.functional.scaled_dot_product_attention(query, key, value)
assert out.dtype == torch.bfloat16
