"""nn.MultiheadAttention with a key_padding_mask that hides all keys of one sample gives NaN there."""
import torch
from torch import nn

torch.manual_seed(0)
attention = nn.MultiheadAttention(16, 2, batch_first=True)
tokens = torch.randn(3, 7, 16)
lengths = torch.tensor([7, 0, 4])
hidden = torch.arange(7)[None] >= lengths[:, None]
out, _ = attention(tokens, tokens, tokens, key_padding_mask=hidden)  # fault: nan-mask
pooled = out.mean(1)


def harm():
    return pooled.isnan().float().mean().item()

# right:
#- hidden = torch.arange(7)[None] >= lengths[:, None]
#+ hidden = torch.arange(7)[None] >= lengths.clamp_min(1)[:, None]
