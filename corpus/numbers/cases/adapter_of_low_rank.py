"""A low-rank adapter whose own matrices are bfloat16, trained with lr 1e-5."""
import torch
from torch import nn


class Adapter(nn.Module):
    def __init__(self, width, rank, dtype):
        super().__init__()
        self.base = nn.Linear(width, width, bias=False, dtype=dtype).requires_grad_(False)
        self.down = nn.Linear(width, rank, bias=False, dtype=dtype)  # fault: half-parameters-without-master
        self.up = nn.Linear(rank, width, bias=False, dtype=dtype)

    def forward(self, x):
        return self.base(x) + self.up(self.down(x.to(self.down.weight.dtype))).to(x.dtype)


torch.manual_seed(0)
net = Adapter(64, 8, torch.bfloat16)
start = net.up.weight.detach().clone()
optimizer = torch.optim.AdamW([p for p in net.parameters() if p.requires_grad], lr=1e-5)
for _ in range(10):
    optimizer.zero_grad()
    net(torch.randn(16, 64, dtype=torch.bfloat16)).float().square().mean().backward()
    optimizer.step()


def harm():
    return (net.up.weight == start).float().mean().item()

# right:
#- net = Adapter(64, 8, torch.bfloat16)
#+ net = Adapter(64, 8, torch.bfloat16)
#+ net.down.float(), net.up.float()
