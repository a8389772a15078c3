# machine: a100
import torch
from torch import nn


class Film(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Linear(dim, dim)
        self.head = nn.Linear(dim, 1)

    def forward(self, x):
        h = self.net(x).to(torch.float32)
        mean, var = h.mean(-1, keepdim=True), h.var(-1, keepdim=True)
        h = (h - mean) / torch.sqrt(var + 1e-5)
        return self.head(h)


net = Film(16).to("cuda", dtype=torch.bfloat16)
net(torch.randn(4, 16, device="cuda", dtype=torch.bfloat16))
# fixed:
#-         return self.head(h)
#+         return self.head(h.to(self.head.weight.dtype))
