"""An adapter is merged into bfloat16 weights: its change is below their spacing, and the merged model is the base."""
import torch
from torch import nn


class LoraLinear(nn.Module):
    def __init__(self, base, rank=4, alpha=8.0):
        super().__init__()
        self.base, self.scale = base, alpha / rank
        self.a = nn.Parameter(torch.randn(rank, base.in_features) * 0.01)
        self.b = nn.Parameter(torch.randn(base.out_features, rank) * 0.002)

    @torch.no_grad()
    def merge(self):
        delta = (self.b @ self.a) * self.scale
        self.base.weight.add_(delta.to(self.base.weight.dtype))  # fault: accumulate-in-half
        return self.base


torch.manual_seed(0)
base = nn.Linear(64, 64, bias=False)
with torch.no_grad():
    base.weight.mul_(4)
base = base.bfloat16()
layer = LoraLinear(base)
before = base.weight.detach().double().clone()
wanted = (layer.b @ layer.a).detach().double() * layer.scale
merged = layer.merge()


def harm():
    return ((merged.weight.detach().double() - before - wanted).norm() / wanted.norm()).item()

# right:
#- base = base.bfloat16()
