# machine: a100
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.proj = nn.LayerNorm(8), nn.Linear(8, 8)

    def forward(self, x):
        return x + self.proj(self.norm(x))


base = nn.Sequential(nn.Linear(8, 8), Block(), Block()).to("cuda", torch.bfloat16).requires_grad_(False)
for module in base.modules():
    if isinstance(module, nn.LayerNorm):
        module.float()
head = nn.Linear(8, 2).to("cuda")
hidden = base(torch.randn(4, 8, device="cuda", dtype=torch.bfloat16))
head(hidden.float()).sum().backward()
# fixed:
#-         return x + self.proj(self.norm(x))
#+         return x + self.proj(self.norm(x.to(self.norm.weight.dtype)).to(self.proj.weight.dtype))
