# machine: a100
import torch
from torch import nn


def merged(layer, up, down):
    up, down = up.to("cuda"), down.to("cuda")
    return torch.addmm(layer.weight, up, down, alpha=0.5)


net = nn.Linear(8, 4, bias=False).to("cuda", dtype=torch.bfloat16)
with torch.no_grad():
    net.weight.copy_(merged(net, torch.randn(4, 2), torch.randn(2, 8)))
# fixed:
#-     return torch.addmm(layer.weight, up, down, alpha=0.5)
#+     return torch.addmm(layer.weight, up.to(layer.weight.dtype), down.to(layer.weight.dtype), alpha=0.5)
