# machine: a100
import torch
from torch import nn
from torch.nn import functional as F


class Quantized(nn.Module):
    def __init__(self, linear):
        super().__init__()
        weight = linear.weight.detach().float()
        self.scales = weight.abs().amax(dim=1, keepdim=True) / 127
        self.register_buffer("integers", torch.round(weight / self.scales).to(torch.int8))

    def forward(self, x):
        weight = self.integers * self.scales
        return F.linear(x, weight)


net = nn.Sequential(nn.Embedding(4, 8), nn.Linear(8, 8), nn.LayerNorm(8)).to("cuda").half()
net[1] = Quantized(net[1])
print(net(torch.zeros(2, dtype=torch.int64, device="cuda")))
# fixed:
#-         return F.linear(x, weight)
#+         return F.linear(x, weight.to(x.dtype))
