"""Small networks of the field's kinds, each with a loss on data of its own."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

WORDS = 500


class Attention(nn.Module):
    """Self-attention, by torch's op or spelled out."""

    def __init__(self, width: int, heads: int, *, spelled: bool) -> None:
        super().__init__()
        self.heads, self.spelled = heads, spelled
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        if self.spelled:
            weights = (q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5).softmax(-1)
            y = weights @ v
        else:
            y = F.scaled_dot_product_attention(q, k, v)
        return self.out(y.transpose(1, 2).reshape(b, t, d))


class Block(nn.Module):
    """A transformer's block."""

    def __init__(self, width: int, *, spelled: bool, dropout: float) -> None:
        super().__init__()
        self.attention = Attention(width, 4, spelled=spelled)
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.dropout(self.attention(self.norms[0](x)))
        return x + self.mlp(self.norms[1](x))


class Language(nn.Module):
    """A language model."""

    def __init__(self, *, spelled: bool = False, saves: bool = False, dropout: float = 0.0) -> None:
        super().__init__()
        self.saves = saves
        self.words, self.places = nn.Embedding(WORDS, 128), nn.Parameter(torch.zeros(64, 128))
        self.blocks = nn.ModuleList(Block(128, spelled=spelled, dropout=dropout) for _ in range(3))
        self.norm, self.head = nn.LayerNorm(128), nn.Linear(128, WORDS, bias=False)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.words(ids) + self.places
        for block in self.blocks:
            x = checkpoint(block, x, use_reentrant=False) if self.saves else block(x)
        return self.head(self.norm(x))

    def loss(self) -> torch.Tensor:
        ids = torch.zeros(4, 64, dtype=torch.int64)
        return F.cross_entropy(self(ids).view(-1, WORDS), ids.view(-1))


class Residual(nn.Module):
    """Two convolutions beside what they add to."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(inplace=True),
            nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width),
        )  # fmt: skip

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return F.relu(x + self.body(x), inplace=True)


class Pictures(nn.Module):
    """A classifier of images."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(inplace=True), nn.MaxPool2d(2),
            Residual(16), Residual(16), nn.Conv2d(16, 32, 3, 2, 1), Residual(32), nn.AdaptiveAvgPool2d(1),
            nn.Flatten(), nn.Linear(32, 10),
        )  # fmt: skip

    def loss(self) -> torch.Tensor:
        return F.cross_entropy(self.body(torch.randn(8, 3, 64, 64)), torch.zeros(8, dtype=torch.int64))


class Resnet(nn.Module):
    """A diffusion UNet's block: norms in groups, silu, and the time added."""

    def __init__(self, wide: int, width: int) -> None:
        super().__init__()
        self.norms = nn.ModuleList((nn.GroupNorm(8, wide), nn.GroupNorm(8, width)))
        self.convs = nn.ModuleList((nn.Conv2d(wide, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)))
        self.time, self.skip = nn.Linear(64, width), nn.Conv2d(wide, width, 1)

    def forward(self, x: torch.Tensor, time: torch.Tensor) -> torch.Tensor:
        y = self.convs[0](F.silu(self.norms[0](x))) + self.time(F.silu(time))[:, :, None, None]
        return self.skip(x) + self.convs[1](F.silu(self.norms[1](y)))


class Diffusion(nn.Module):
    """A UNet of two resolutions with attention below."""

    def __init__(self) -> None:
        super().__init__()
        self.into, self.out = nn.Conv2d(4, 32, 3, padding=1), nn.Conv2d(32, 4, 3, padding=1)
        self.down, self.mid, self.up = Resnet(32, 32), Resnet(32, 64), Resnet(96, 32)
        self.attention = Attention(64, 4, spelled=False)

    def loss(self) -> torch.Tensor:
        time = torch.randn(2, 64)
        first = self.down(self.into(torch.randn(2, 4, 32, 32)), time)
        y = self.mid(F.avg_pool2d(first, 2), time)
        b, c, h, w = y.shape
        y = y + self.attention(y.flatten(2).transpose(1, 2)).transpose(1, 2).reshape(b, c, h, w)
        y = self.up(torch.cat((F.interpolate(y, scale_factor=2), first), 1), time)
        return F.mse_loss(self.out(y), torch.randn(2, 4, 32, 32))


class Mixed(nn.Module):
    """A perceptron under autocast."""

    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 8))

    def loss(self) -> torch.Tensor:
        with torch.autocast("cpu", torch.bfloat16):
            y = self.body(torch.randn(512, 256))
        return y.float().pow(2).mean()


class Recurrent(nn.Module):
    """A recurrent network, step by step."""

    def __init__(self) -> None:
        super().__init__()
        self.given, self.kept = (nn.Parameter(torch.zeros(128, n)) for n in (64, 128))
        self.head = nn.Linear(128, 8)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        state = torch.zeros(16, 128)
        for row in rows:
            state = torch.tanh(F.linear(row, self.given) + F.linear(state, self.kept))
        return self.head(state).log_softmax(-1)

    def loss(self) -> torch.Tensor:
        return self(torch.randn(12, 16, 64)).mean()
