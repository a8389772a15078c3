# machine: a100
# help: replace `Cache().to("cuda")` with `Cache().to("cuda", torch.bfloat16)` at what_is_written_to_is_not_cast.py:19
# or: pass dtype=torch.bfloat16 to `torch.zeros` at what_is_written_to_is_not_cast.py:11
import torch
from torch import nn


class Cache(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(8, 4), persistent=False)

    def forward(self, k, pos):
        self.keys[pos] = k
        return self.keys


net = nn.Embedding(8, 4).to("cuda", torch.bfloat16)
cache = Cache().to("cuda")
pos = torch.arange(2, device="cuda")
cache(net(pos), pos)
