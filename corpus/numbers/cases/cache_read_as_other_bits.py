"""A key/value cache kept as bytes, written as one float8 format and read back for each new token."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
DIM, SLOTS = 32, 64
STORE = torch.float8_e4m3fn
LOAD = torch.float8_e5m2


class Cache:
    def __init__(self):
        self.bytes = torch.zeros(2, SLOTS, DIM, dtype=torch.uint8)
        self.scale = torch.ones(2, SLOTS, 1)
        self.used = 0

    def append(self, key, value):
        for row, x in enumerate((key, value)):
            scale = x.abs().amax() / torch.finfo(STORE).max
            self.bytes[row, self.used] = (x / scale).to(STORE).view(torch.uint8)
            self.scale[row, self.used] = scale
        self.used += 1

    def read(self):
        live = self.bytes[:, : self.used].view(LOAD).float()  # fault: wrap
        return live * self.scale[:, : self.used]


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(DIM, 3 * DIM)
        self.out = nn.Linear(DIM, DIM)

    def forward(self, x, cache):
        q, k, v = self.qkv(x).chunk(3, -1)
        cache.append(k, v)
        keys, values = cache.read()
        weights = F.softmax(keys @ q / DIM**0.5, 0)
        return x + self.out(weights @ values), (k, v)


model = Decoder().eval()
cache, exact = Cache(), []
x = torch.randn(DIM)
with torch.no_grad():
    for token in range(SLOTS):
        x, pair = model(F.layer_norm(x, (DIM,)), cache)
        exact.append(torch.stack(pair))
    wanted = torch.stack(exact, 1)
    error = (cache.read() - wanted).norm() / wanted.norm()


def harm():
    return (cache.read() - wanted).norm().div(wanted.norm()).item()

# right:
#- LOAD = torch.float8_e5m2
#+ LOAD = torch.float8_e4m3fn
