"""A graph convolution guards the degrees of isolated nodes by an eps of 1e-8, which is 0 in float16."""
import torch
from torch import nn


class Convolution(nn.Module):
    def __init__(self, width, eps=1e-8):
        super().__init__()
        self.lin = nn.Linear(width, width)
        self.eps = eps

    def forward(self, x, edges):
        source, target = edges
        ones = torch.ones(len(source), dtype=x.dtype)
        degree = torch.zeros(len(x), dtype=x.dtype).index_add_(0, target, ones)
        summed = torch.zeros_like(x).index_add_(0, target, x[source])
        mean = summed / (degree[:, None] + self.eps)  # fault: eps-vanishes
        return self.lin(mean)


torch.manual_seed(0)
net = Convolution(16).half()
edges = torch.randint(0, 90, (2, 300))
with torch.no_grad():
    out = net(torch.randn(100, 16).half(), edges)


def harm():
    return out.isnan().any(1).float().mean().item()

# right:
#-         mean = summed / (degree[:, None] + self.eps)
#+         mean = summed / degree.clamp(min=1)[:, None]
