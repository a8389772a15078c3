# machine: a100
import torch
from torch import nn


def limited(x):
    flat = x.flatten(1).abs()
    top = torch.quantile(flat, 0.9, dim=1)
    return x / top[:, None]


def sample(net, x):
    t = torch.ones(2, 1, device="cuda")
    for _ in range(2):
        x = limited(net(x + t.to(x.dtype)))
    return x


sample(nn.Linear(8, 8).to("cuda", torch.float16), torch.randn(2, 8, device="cuda", dtype=torch.float16))
# fixed:
#-     top = torch.quantile(flat, 0.9, dim=1)
#+     top = torch.quantile(flat.float(), 0.9, dim=1).to(flat.dtype)
