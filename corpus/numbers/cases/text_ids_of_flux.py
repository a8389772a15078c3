"""A trainer casts all that a transformer is given to bfloat16, the ids of up to 512 text tokens among it."""
import torch
from torch import nn

torch.manual_seed(0)


class Transformer(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.proj = nn.Linear(width, width)

    def forward(self, x, ids):
        rates = 10000.0 ** -(torch.arange(4).double() / 4)
        angles = ids[:, 1:].double() * rates
        turned = torch.cat([angles.cos(), angles.sin(), angles.cos(), angles.sin()], -1).to(x.dtype)
        return self.proj(x) * turned, angles


def inputs(dtype):
    ids = torch.zeros(512, 2)
    ids[:, 1] = torch.arange(512)
    return torch.randn(512, 16).to(dtype), ids.to(dtype)  # fault: index-in-half


net = Transformer().to(torch.bfloat16)
x, ids = inputs(torch.bfloat16)
with torch.no_grad():
    out, angles = net(x, ids)


def harm():
    return (angles[:, 0] != torch.arange(512)).float().mean().item()

# right:
#-     return torch.randn(512, 16).to(dtype), ids.to(dtype)
#+     return torch.randn(512, 16).to(dtype), ids
