"""The vision tower: a ViT as timm and SigLIP have it, of which only the features of the patches are wanted."""

import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    """Each patch looks at each: (batch, patches, width) to the same."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        return self.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width, heads, mlp_width):
        super().__init__()
        self.norm1 = nn.LayerNorm(width, eps=1e-6)
        self.attn = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(width, mlp_width), nn.GELU(approximate="tanh"), nn.Linear(mlp_width, width))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class VisionTower(nn.Module):
    """Images (batch, 3, height, width) to the features of their patches (batch, patches, width)."""

    def __init__(self, image_size, patch_size, width, depth, heads, mlp_width):
        super().__init__()
        self.grid = image_size // patch_size
        self.patch_embed = nn.Conv2d(3, width, kernel_size=patch_size, stride=patch_size)
        self.pos_embed = nn.Parameter(torch.randn(1, self.grid**2, width) * 0.02)
        self.blocks = nn.ModuleList(Block(width, heads, mlp_width) for _ in range(depth))
        self.norm = nn.LayerNorm(width, eps=1e-6)

    def forward_features(self, pixel_values):
        x = self.patch_embed(pixel_values).flatten(2).transpose(1, 2) + self.pos_embed
        for block in self.blocks:
            x = block(x)
        return self.norm(x)

    def forward(self, pixel_values):
        return self.forward_features(pixel_values)
