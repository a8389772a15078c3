"""Room for keys and values is made with torch.zeros, float32 by default: a bfloat16 model's cache has twice the bytes."""
import torch
import torch.nn.functional as F
from torch import nn


class Cache:
    def __init__(self, layers, shape):
        self.kept = [torch.zeros(2, *shape) for _ in range(layers)]  # fault: widening

    def put(self, layer, at, k, v):
        kept = self.kept[layer]
        kept[0, :, :, at : at + k.shape[2]] = k
        kept[1, :, :, at : at + k.shape[2]] = v
        return kept[:, :, :, : at + k.shape[2]]


class Attention(nn.Module):
    def __init__(self, dim, heads, layer):
        super().__init__()
        self.qkv, self.out = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.heads, self.layer = heads, layer

    def forward(self, x, cache, at):
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        k, v = cache.put(self.layer, at, k, v)
        y = F.scaled_dot_product_attention(q.to(k.dtype), k, v)
        return x + self.out(y.transpose(1, 2).flatten(2).to(x.dtype))


torch.manual_seed(0)
layers = nn.ModuleList(Attention(32, 4, i) for i in range(2)).bfloat16()
cache = Cache(2, (2, 4, 128, 8))
with torch.no_grad():
    for at in range(40):
        x = torch.randn(2, 1, 32).bfloat16()
        for layer in layers:
            x = layer(x, cache, at)


def harm():
    return sum(one.nbytes for one in cache.kept) / (2 * 2 * 2 * 4 * 128 * 8 * 2) - 1

# right:
#-         self.kept = [torch.zeros(2, *shape) for _ in range(layers)]
#+         self.kept = [torch.zeros(2, *shape, dtype=torch.bfloat16) for _ in range(layers)]
