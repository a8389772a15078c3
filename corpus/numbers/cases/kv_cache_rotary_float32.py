"""Float32 rotary tables promote the bfloat16 keys, and the key cache holds float32 from there on: twice the memory."""
import torch
from torch import nn

torch.manual_seed(0)
width, prompt = 64, 128
to_key = nn.Linear(width, width, bias=False).bfloat16()
hidden = torch.randn(prompt, width).bfloat16()
angles = torch.outer(torch.arange(prompt).float(), 10000.0 ** (-torch.arange(0, width, 2) / width))
cos, sin = angles.cos().repeat(1, 2), angles.sin().repeat(1, 2)


def rotate(x, cos, sin):
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-second, first], dim=-1) * sin  # fault: widening


cache = []
with torch.no_grad():
    for position in range(prompt):
        key = to_key(hidden[position : position + 1])
        cache.append(rotate(key, cos[position : position + 1], sin[position : position + 1]))
keys = torch.cat(cache)


def harm():
    return keys.nbytes / hidden.nbytes - 1

# right:
#-     return x * cos + torch.cat([-second, first], dim=-1) * sin
#+     return x * cos.to(x.dtype) + torch.cat([-second, first], dim=-1) * sin.to(x.dtype)
