# machine: a100
import torch
from torch import nn


def frequencies(dim, length):
    steps = 1 / 10000 ** (torch.arange(0, dim, 2).float() / dim)
    return torch.outer(torch.arange(length).float(), steps)


class Rotary(nn.Module):
    def __init__(self, dim=8, length=16):
        super().__init__()
        self.proj = nn.Linear(dim, dim // 2)
        self.freqs = frequencies(dim, length)

    def forward(self, x):
        return self.proj(x) * self.freqs[: x.size(1)].cos()


model = Rotary().cuda()
model(torch.randn(2, 5, 8, device="cuda"))
# fixed:
#-         self.freqs = frequencies(dim, length)
#+         self.register_buffer("freqs", frequencies(dim, length), persistent=False)
