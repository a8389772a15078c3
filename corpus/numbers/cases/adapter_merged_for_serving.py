"""A trained adapter is merged into a bfloat16 layer for serving: most of its small changes are below the weights' last bit."""
import torch
from torch import nn
from torch.nn import functional as F


class Adapted(nn.Module):
    def __init__(self, base, rank=4, alpha=8):
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(rank, base.in_features) * 0.05)
        self.up = nn.Parameter(torch.zeros(base.out_features, rank))
        self.scale = alpha / rank

    def forward(self, x):
        low = F.linear(F.linear(x.float(), self.down), self.up) * self.scale
        return self.base(x).float() + low

    @torch.no_grad()
    def merged(self):
        change = (self.up @ self.down) * self.scale
        layer = nn.Linear(self.base.in_features, self.base.out_features, bias=False, dtype=self.base.weight.dtype)
        layer.weight.copy_(self.base.weight)
        layer.weight += change.to(layer.weight.dtype)  # fault: state-in-half
        return layer


def data(steps):
    generator = torch.Generator().manual_seed(1)
    shift = torch.randn(64, 64, generator=generator) * 0.01
    for _ in range(steps):
        x = torch.randn(64, 64, generator=generator)
        yield x, x @ shift.T


torch.manual_seed(0)
base = nn.Linear(64, 64, bias=False)
nn.init.normal_(base.weight, std=1.0)
base = base.bfloat16().requires_grad_(False)
model = Adapted(base)
optimizer = torch.optim.AdamW([model.down, model.up], lr=2e-4, weight_decay=0.0)
for x, wanted in data(30):
    x = x.bfloat16()
    with torch.no_grad():
        target = base(x).float() + wanted
    loss = F.mse_loss(model(x), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
served = model.merged()


def harm():
    with torch.no_grad():
        change = model.up @ model.down * model.scale
        arrived = served.weight.float() - base.weight.float()
        return ((arrived - change).norm() / change.norm()).item()

# right:
#-         layer = nn.Linear(self.base.in_features, self.base.out_features, bias=False, dtype=self.base.weight.dtype)
#+         layer = nn.Linear(self.base.in_features, self.base.out_features, bias=False)
