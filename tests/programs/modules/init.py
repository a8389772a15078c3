# machine: v100
# real: cpu
import math

import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.empty(4, 8))
        self.register_buffer("freqs", torch.exp(-math.log(1e4) * torch.arange(0, 4) / 4), persistent=False)
        self.register_buffer("none", None)
        self.lazy = nn.LazyLinear(5)
        self.scale = nn.ParameterList([nn.Parameter(torch.ones(1)) for _ in range(2)])
        nn.init.kaiming_uniform_(self.w, a=math.sqrt(5))
        nn.init.trunc_normal_(self.w, std=0.02)
        nn.init.orthogonal_(self.w)
        nn.init.constant_(self.scale[0], 0.5)

    def forward(self, x):
        h = x @ self.w.T * self.freqs
        return self.lazy(h) * self.scale[0] + self.scale[1]


net = Net().to(dev)
net(torch.randn(2, 8, device=dev)).sum().backward()
print(sum(p.numel() for p in net.parameters()), net)
for name, p in net.named_parameters():
    assert p.grad is None or p.grad.device == p.device, name
