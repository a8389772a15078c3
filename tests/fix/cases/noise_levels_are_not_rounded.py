# machine: a100
import torch
from torch import nn


class Fourier(nn.Module):
    def forward(self, level):
        angle = 48.0 * level[:, None]
        return torch.cat([angle.cos(), angle.sin()], dim=-1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = Fourier()
        self.cond = nn.Linear(2, 4)

    def forward(self, x, level):
        return x + self.cond(self.embed(level))


def sample(net, x, levels):
    for level in levels:
        x = x - net(x, level.expand(len(x)).log())
    return x


net = Net().to("cuda", torch.bfloat16)
x = torch.randn(2, 4, device="cuda", dtype=torch.bfloat16)
sample(net, x, torch.linspace(80.0, 0.1, 3, device="cuda"))

# fixed:
#-         return x + self.cond(self.embed(level))
#+         return x + self.cond(self.embed(level).to(self.cond.weight.dtype))
