"""A network in bfloat16 whose norms compute in float32 and cast back, as T5's and Llama's do."""
import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))

    def forward(self, hidden):
        wide = hidden.to(torch.float32)
        wide = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * wide.to(hidden.dtype)


torch.manual_seed(0)
layers = nn.Sequential(Norm(32), nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, 32), Norm(32)).bfloat16()
hidden = torch.randn(4, 10, 32).bfloat16()
for _ in range(3):
    hidden = hidden + layers(hidden)
loss = torch.nn.functional.cross_entropy(hidden.float().flatten(0, 1), torch.randint(32, (40,)))
loss.backward()
