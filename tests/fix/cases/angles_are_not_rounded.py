# machine: v100
import math
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = nn.Linear(8, 8)

    def forward(self, x, t):
        freqs = torch.exp(-math.log(10000) * torch.arange(4, device=x.device) / 4)
        args = t[:, None].float() * freqs[None]
        emb = torch.cat([torch.cos(args), torch.sin(args)], dim=-1)
        return x + self.mlp(emb)

net = Net().cuda().half()
net(torch.randn(2, 8, device="cuda").half(), torch.tensor([3, 5], device="cuda"))

# fixed:
#-         return x + self.mlp(emb)
#+         return x + self.mlp(emb.to(self.mlp.weight.dtype))
