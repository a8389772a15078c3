"""An image with an empty caption: every key of its cross attention is padding, the softmax of -inf only is NaN."""
import torch
from torch import nn


class TextConditioning(nn.Module):
    def __init__(self, dim, heads=4):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.attention = nn.MultiheadAttention(dim, heads, batch_first=True)

    def forward(self, patches, text, lengths):
        padding = torch.arange(text.shape[1]) >= lengths[:, None]
        query = self.norm(patches)
        attended, _ = self.attention(query, text, text, key_padding_mask=padding)  # fault: nan-mask
        return patches + attended


torch.manual_seed(0)
block = TextConditioning(32)
patches = torch.randn(4, 16, 32)
text = torch.randn(4, 8, 32)
lengths = torch.tensor([5, 8, 0, 3])
conditioned = block(patches, text, lengths)


def harm():
    return float(conditioned.isnan().float().mean().item())

# right:
#-         padding = torch.arange(text.shape[1]) >= lengths[:, None]
#+         padding = torch.arange(text.shape[1]) >= lengths[:, None]
#+         empty = padding.all(dim=1)
#+         padding[empty, 0] = False
#-         attended, _ = self.attention(query, text, text, key_padding_mask=padding)
#+         attended, _ = self.attention(query, text, text, key_padding_mask=padding)
#+         attended = attended.masked_fill(empty[:, None, None], 0.0)
