"""Adam with eps 1e-10 on float16 weights of which some get no gradient: 0 / 0 makes them NaN."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 3, bias=False).half()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3, eps=1e-10)  # fault: eps-vanishes
x = torch.randn(8, 6)
x[:, 4:] = 0
for _ in range(2):
    optimizer.zero_grad()
    net(x.to(net.weight.dtype)).float().pow(2).mean().backward()
    optimizer.step()


def harm():
    return net.weight.isnan().float().mean().item()

# right:
#- net = nn.Linear(6, 3, bias=False).half()
#+ net = nn.Linear(6, 3, bias=False)
