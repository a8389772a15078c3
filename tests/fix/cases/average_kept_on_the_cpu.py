# machine: v100
import torch
from torch import nn

net = nn.Linear(8, 8).cuda()
ema = {k: v.detach().cpu().clone() for k, v in net.state_dict().items()}
for _ in range(2):
    net(torch.randn(2, 8, device="cuda")).sum().backward()
    for k, v in net.state_dict().items():
        ema[k].mul_(0.99).add_(v, alpha=0.01)

# fixed:
#-         ema[k].mul_(0.99).add_(v, alpha=0.01)
#+         ema[k].mul_(0.99).add_(v.to(ema[k].device), alpha=0.01)
