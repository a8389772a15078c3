# machine: a100
import torch
import torch.nn.functional as F
from torch import nn


class Router(nn.Module):
    def __init__(self, dim=8, experts=2):
        super().__init__()
        self.gate = nn.Linear(dim, experts)
        self.expert = nn.Linear(dim, dim)

    def forward(self, x):
        weights = F.softmax(self.gate(x), dim=-1, dtype=torch.float)
        out = torch.zeros_like(x)
        token = torch.where(weights[:, 0] > 0)[0]
        current = self.expert(x[token]) * weights[token, :1]
        out.index_add_(0, token, current)
        return out


model = Router().to("cuda", torch.bfloat16)
model(torch.randn(4, 8, device="cuda", dtype=torch.bfloat16))
# fixed:
#-         current = self.expert(x[token]) * weights[token, :1]
#+         current = (self.expert(x[token]) * weights[token, :1]).to(x.dtype)
