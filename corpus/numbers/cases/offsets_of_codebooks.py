"""A decoder of audio codes keeps eight codebooks in one table; their offsets are a float buffer, cast with the model."""
import torch
from torch import nn


class CodesOfAudio(nn.Module):
    def __init__(self, books=8, size=2049, dim=16):
        super().__init__()
        self.table = nn.Embedding(books * size, dim)
        self.register_buffer("offsets", torch.linspace(0, (books - 1) * size, books))

    def forward(self, codes):  # (batch, books, frames)
        ids = codes + self.offsets[:, None]  # fault: index-in-half
        return self.table(ids.long()).sum(1), ids.long()


torch.manual_seed(0)
model = CodesOfAudio().half()
codes = torch.randint(0, 2049, (2, 8, 100))
with torch.no_grad():
    frames, ids = model(codes)


def harm():
    true = codes + 2049 * torch.arange(8)[:, None]
    return (ids != true).float().mean().item()

# right:
#-         self.register_buffer("offsets", torch.linspace(0, (books - 1) * size, books))
#+         self.register_buffer("offsets", torch.arange(books) * size)
