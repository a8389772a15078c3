"""Float32 rotary tables promote the bfloat16 keys to float32, and so the key cache takes twice the memory."""
import torch


class KeyCache:
    def __init__(self):
        self.keys = None

    def append(self, k):
        self.keys = k if self.keys is None else torch.cat([self.keys, k], dim=2)
        return self.keys


def rope(length, dim):
    freq = 10000.0 ** (-torch.arange(0, dim, 2) / dim)
    angle = torch.outer(torch.arange(length).float(), freq).repeat(1, 2)
    return angle.cos(), angle.sin()


def rotate(k, cos, sin):
    first, second = k.chunk(2, dim=-1)
    turned = torch.cat((-second, first), dim=-1)
    return k * cos + turned * sin  # fault: widening


torch.manual_seed(0)
cos, sin = rope(256, 64)
cache = KeyCache()
for position in range(256):
    key = torch.randn(1, 8, 1, 64, dtype=torch.bfloat16)
    cache.append(rotate(key, cos[position], sin[position]))


def harm():
    size, right = cache.keys.numel() * cache.keys.element_size(), cache.keys.numel() * 2
    return float(size / right - 1)

# right:
#-     return k * cos + turned * sin
#+     return (k * cos + turned * sin).to(k.dtype)
