"""A visual expert model in the style of CogAgent: two image towers, and a language model with weights for images.

An image enters twice. In low resolution its tokens stand before those of the question, and meet weights of their own in
every layer (the visual expert). In high resolution they are looked at by cross-attention in every layer, and so can be
many.
"""

import torch
import torch.nn.functional as F
from layers import GatedMlp, Mlp, RMSNorm, SelfAttention, attend, rotate, split_heads
from parallel import ColumnParallelLinear, RowParallelLinear, gather_from_ranks
from torch import nn

# The sizes of cogagent-chat: EVA2-CLIP-E, EVA2-CLIP-L and Vicuna-7B with its visual expert, 18 billion parameters.
REAL = {
    "low": {"width": 1792, "layers": 63, "heads": 16, "inner": 15360, "patch": 14, "resolution": 224},
    "high": {"width": 1024, "layers": 24, "heads": 16, "inner": 2730, "patch": 14, "resolution": 1120, "gated": True},
    "language": {"width": 4096, "layers": 32, "heads": 32, "inner": 11008, "cross": 1024, "vocabulary": 32000},
}
TINY = {
    "low": {"width": 32, "layers": 2, "heads": 4, "inner": 64, "patch": 4, "resolution": 16},
    "high": {"width": 32, "layers": 2, "heads": 4, "inner": 42, "patch": 4, "resolution": 32, "gated": True},
    "language": {"width": 48, "layers": 2, "heads": 4, "inner": 96, "cross": 32, "vocabulary": 24},
}
SIZES = {"tiny": TINY, "real": REAL}


class Block(nn.Module):
    def __init__(self, width, heads, inner, gated):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = SelfAttention(width, heads)
        self.mlp_norm = nn.LayerNorm(width)
        self.mlp = GatedMlp(width, inner) if gated else Mlp(width, inner)

    def forward(self, x):
        x = x + self.attention(self.attention_norm(x))
        return x + self.mlp(self.mlp_norm(x))


class Tower(nn.Module):
    """Images (batch, 3, height, width) to tokens (batch, patches, width)."""

    def __init__(self, width, layers, heads, inner, patch, resolution, gated=False):
        super().__init__()
        side = resolution // patch
        self.patch_embedding = nn.Conv2d(3, width, patch, patch)
        self.position_embedding = nn.Parameter(torch.randn(1, width, side, side) * 0.02)
        self.blocks = nn.ModuleList(Block(width, heads, inner, gated) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, image):
        x = self.patch_embedding(image)
        positions = self.position_embedding
        if x.shape[-2:] != positions.shape[-2:]:
            positions = F.interpolate(positions.float(), size=x.shape[-2:], mode="bicubic").to(x.dtype)
        x = (x + positions).flatten(2).transpose(1, 2)
        for block in self.blocks:
            x = block(x)
        return self.norm(x)


class VisualExpert(nn.Module):
    """Two modules of one kind: one for the image's tokens, which come first, and one for the text's."""

    def __init__(self, make):
        super().__init__()
        self.image, self.text = make(), make()

    def forward(self, x, image_tokens):
        return torch.cat([self.image(x[:, :image_tokens]), self.text(x[:, image_tokens:])], dim=1)


class CrossAttention(nn.Module):
    """Text and image tokens look at the image in high resolution."""

    def __init__(self, width, heads, cross):
        super().__init__()
        self.head_width = cross // heads
        self.query = ColumnParallelLinear(width, cross, bias=False)
        self.key_value = ColumnParallelLinear(cross, 2 * cross, bias=False, blocks=2)
        self.dense = RowParallelLinear(cross, width, bias=False)

    def forward(self, x, seen):
        key, value = (split_heads(part, self.head_width) for part in self.key_value(seen).chunk(2, dim=-1))
        return self.dense(attend(split_heads(self.query(x), self.head_width), key, value))


class DecoderLayer(nn.Module):
    def __init__(self, width, heads, inner, cross):
        super().__init__()
        self.head_width = width // heads
        self.attention_norm = RMSNorm(width)
        self.qkv = VisualExpert(lambda: ColumnParallelLinear(width, 3 * width, bias=False, blocks=3))
        self.dense = VisualExpert(lambda: RowParallelLinear(width, width, bias=False))
        self.cross_norm = RMSNorm(width)
        self.cross_attention = CrossAttention(width, heads, cross)
        self.mlp_norm = RMSNorm(width)
        self.mlp = VisualExpert(lambda: GatedMlp(width, inner))

    def forward(self, x, seen, image_tokens):
        qkv = self.qkv(self.attention_norm(x), image_tokens).chunk(3, dim=-1)
        query, key, value = (split_heads(part, self.head_width) for part in qkv)
        x = x + self.dense(attend(rotate(query), rotate(key), value, causal=True), image_tokens)
        x = x + self.cross_attention(self.cross_norm(x), seen)
        return x + self.mlp(self.mlp_norm(x), image_tokens)


class LanguageModel(nn.Module):
    """Tokens of the image (batch, patches, width), then of the text: logits (batch, text, vocabulary), whole on each rank."""

    def __init__(self, width, layers, heads, inner, cross, vocabulary):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(DecoderLayer(width, heads, inner, cross) for _ in range(layers))
        self.norm = RMSNorm(width)
        self.head = ColumnParallelLinear(width, vocabulary, bias=False)

    def forward(self, image, seen, tokens):
        x = torch.cat([image, self.embedding(tokens)], dim=1)
        for layer in self.layers:
            x = layer(x, seen, image.shape[1])
        return gather_from_ranks(self.head(self.norm(x[:, image.shape[1] :])))


class CogAgent(nn.Module):
    def __init__(self, low, high, language):
        super().__init__()
        self.resolution = low["resolution"]
        self.low_tower = Tower(**low)
        self.high_tower = Tower(**high)
        self.adapter = nn.Sequential(
            nn.Linear(low["width"], language["width"]),
            nn.LayerNorm(language["width"]),
            nn.GELU(),
            GatedMlp(language["width"], language["inner"]),
        )
        self.language_model = LanguageModel(**language)

    def look(self, image):
        """What the language model is to see of images (batch, 3, height, width) between -1 and 1."""
        small = F.interpolate(image, size=(self.resolution, self.resolution), mode="bilinear")
        return self.adapter(self.low_tower(small)), self.high_tower(image)

    def forward(self, image, tokens):
        return self.language_model(*self.look(image), tokens)


@torch.no_grad()
def answer(model, looked, tokens, end, most=4):
    """Greedily; the tokens (batch, length) behind the question, until all have ended."""
    given = tokens.shape[1]
    ended = torch.zeros(len(tokens), dtype=torch.bool, device=tokens.device)
    for _ in range(most):
        word = model.language_model(*looked, tokens)[:, -1].argmax(dim=-1)
        tokens = torch.cat([tokens, word.masked_fill(ended, end)[:, None]], dim=1)
        ended = ended | (word == end)
        if ended.all():
            break
    return tokens[:, given:]
