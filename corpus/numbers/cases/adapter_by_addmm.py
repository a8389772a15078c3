"""An adapter's product is added to bfloat16 weights in one call, and is below half of their spacing everywhere."""
import torch
from torch import nn

DIM, RANK = 128, 4


class Adapted(nn.Module):
    def __init__(self, dim, rank, alpha=8.0):
        super().__init__()
        self.base = nn.Linear(dim, dim, bias=False)
        self.down = nn.Parameter(torch.randn(rank, dim) * 0.01)
        self.up = nn.Parameter(torch.randn(dim, rank) * 0.004)
        self.scale = alpha / rank

    def forward(self, x):
        return self.base(x) + (x @ self.down.T @ self.up.T) * self.scale

    @torch.no_grad()
    def merged(self, dtype):
        weight = self.base.weight.to(dtype, copy=True)
        weight.addmm_(self.up.to(dtype), self.down.to(dtype), alpha=self.scale)  # fault: state-in-half
        return weight


torch.manual_seed(7)
layers = [Adapted(DIM, RANK) for _ in range(3)]
for layer in layers:
    nn.init.uniform_(layer.base.weight, 0.5, 1.0)
served = [layer.merged(torch.bfloat16) for layer in layers]


def harm():
    lost = []
    for layer, weight in zip(layers, served, strict=True):
        change = (layer.up @ layer.down * layer.scale).detach()
        before = layer.base.weight.detach().to(weight.dtype).float()
        lost.append((weight.float() - before - change).norm() / change.norm())
    return max(lost).item()

# right:
#- served = [layer.merged(torch.bfloat16) for layer in layers]
#+ served = [layer.merged(torch.float32) for layer in layers]
