# machine: a100
import torch
from torch import nn


class Cache(nn.Module):
    def __init__(self, length, dim, dtype):
        super().__init__()
        self.register_buffer("keys", torch.zeros(length, dim, dtype=dtype, device="cuda"))

    def update(self, pos, k):
        self.keys[pos] = k
        return self.keys


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Embedding(8, 4)

    def set_up(self, length, dtype=torch.float32):
        self.cache = Cache(length, 4, dtype)

    def forward(self, x, pos):
        return self.cache.update(pos, self.proj(x))


net = Net().to("cuda", torch.bfloat16)
net.set_up(8)
x = torch.randint(0, 8, (2,), device="cuda")
net(x, torch.arange(2, device="cuda"))
# fixed:
#- net.set_up(8)
#+ net.set_up(8, dtype=torch.bfloat16)
