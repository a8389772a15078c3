"""A table of sinusoids in float64 is added to float32 embeddings: all layers behind it are float64 but no one asked."""
import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        place = torch.arange(length, dtype=torch.float64)[:, None]
        rates = 10000 ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
        self.register_buffer("table", torch.cat([(place * rates).sin(), (place * rates).cos()], -1))

    def forward(self, x):
        return x + self.table[: x.shape[1]]  # fault: widening


torch.manual_seed(0)
embed = nn.Embedding(100, 16)
hidden = Positions(64, 16)(embed(torch.randint(0, 100, (4, 32))))
out = nn.functional.gelu(hidden) * hidden


def harm():
    return out.element_size() / 4 - 1

# right:
#-         return x + self.table[: x.shape[1]]
#+         return x + self.table[: x.shape[1]].to(x.dtype)
