# machine: cpu
import numpy as np
import torch
from torch import nn


def encoder(count):
    bands = torch.from_numpy(2.0 ** np.arange(count))
    encodings = [lambda x: x]
    for wave in (torch.sin, torch.cos):
        encodings.append(lambda x, wave=wave: wave(x[..., None] * bands).flatten(-2))
    return lambda x: torch.cat([encode(x) for encode in encodings], -1)


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(27, 8), nn.Linear(8, 1)])

    def forward(self, h):
        for layer in self.layers:
            h = layer(h)
        return h


field = Field()
points = torch.rand(6, 3)
field(encoder(4)(points)).sum().backward()

# fixed:
#-         encodings.append(lambda x, wave=wave: wave(x[..., None] * bands).flatten(-2))
#+         encodings.append(lambda x, wave=wave: wave((x[..., None] * bands).to(x.dtype)).flatten(-2))
