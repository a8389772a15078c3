# machine: a100
import torch
from torch import nn


@torch.compile
def gelu(x):
    return 0.5 * x * (1 + torch.tanh(0.79788 * (x + 0.044715 * x**3)))


@torch.compile(mode="reduce-overhead", fullgraph=True)
def scale(x, s):
    return x * s


model = torch.compile(nn.Sequential(nn.Linear(8, 8), nn.ReLU()).cuda(), dynamic=True)
x = torch.randn(2, 8, device="cuda")
scale(gelu(model(x)), 2.0).sum().backward()  # note: torch.compile ran eagerly
model.compile()
torch._dynamo.config.cache_size_limit = 64
torch._dynamo.reset()
