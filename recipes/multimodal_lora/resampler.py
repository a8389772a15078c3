"""The resampler: however many patches there are, the language model reads the same few vectors."""

import torch
from torch import nn


def sine_positions(grid, width):
    """Where each patch of a square grid is, as sines of its row and column: (patches, width), float32."""
    frequency = 10000 ** -(torch.arange(width // 4) / (width // 4))
    angle = torch.arange(grid)[:, None] * frequency
    one = torch.cat([angle.sin(), angle.cos()], dim=-1)  # (grid, width / 2)
    rows, columns = one[:, None].expand(-1, grid, -1), one[None].expand(grid, -1, -1)
    return torch.cat([rows, columns], dim=-1).flatten(0, 1)


class Resampler(nn.Module):
    """Learned queries look at the patches (batch, patches, kv_width): (batch, queries, width)."""

    def __init__(self, grid, queries, width, heads, kv_width, faults=()):
        super().__init__()
        self.query = nn.Parameter(torch.randn(queries, width) * 0.02)
        self.kv_proj = nn.Linear(kv_width, width, bias=False)
        self.ln_q, self.ln_kv = nn.LayerNorm(width, eps=1e-6), nn.LayerNorm(width, eps=1e-6)
        self.attn = nn.MultiheadAttention(width, heads, batch_first=True)
        self.ln_post = nn.LayerNorm(width, eps=1e-6)
        self.proj = nn.Linear(width, width, bias=False)
        if "plain-pos-embed" not in faults:
            self.register_buffer("pos_embed", sine_positions(grid, width), persistent=False)
        else:
            self.pos_embed = sine_positions(grid, width)

    def forward(self, features):
        patches = self.ln_kv(self.kv_proj(features))
        queries = self.ln_q(self.query).expand(len(features), -1, -1)
        found, _ = self.attn(queries, patches + self.pos_embed, patches, need_weights=False)
        return self.proj(self.ln_post(found))
