# machine: v100
import torch
from torch import nn


class Adapted(nn.Module):
    def __init__(self, base, rank=2):
        super().__init__()
        self.base = base
        self.down = nn.Parameter(torch.randn(rank, 8, dtype=base.weight.dtype, device=base.weight.device))
        self.up = nn.Parameter(torch.zeros(4, rank, dtype=base.weight.dtype, device=base.weight.device))

    def forward(self, x):
        return self.base(x) + nn.functional.linear(nn.functional.linear(x, self.down), self.up)


net = Adapted(nn.Linear(8, 4).to("cuda", torch.float16).requires_grad_(False))
optimizer = torch.optim.SGD([net.down, net.up], lr=0.1)
scaler = torch.amp.GradScaler("cuda")
with torch.autocast("cuda", dtype=torch.float16):
    loss = net(torch.randn(3, 8, device="cuda")).float().sum()
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
# fixed:
#-         self.down = nn.Parameter(torch.randn(rank, 8, dtype=base.weight.dtype, device=base.weight.device))
#-         self.up = nn.Parameter(torch.zeros(4, rank, dtype=base.weight.dtype, device=base.weight.device))
#+         self.down = nn.Parameter(torch.randn(rank, 8, dtype=torch.float32, device=base.weight.device))
#+         self.up = nn.Parameter(torch.zeros(4, rank, dtype=torch.float32, device=base.weight.device))
