"""Binary cross entropy by hand in float32 with clamp(1e-8, 1 - 1e-8): 1 - 1e-8 is 1, and its log infinite."""
import torch
from torch import nn


def bce(logits, target, eps=1e-8):
    p = torch.sigmoid(logits).clamp(eps, 1 - eps)  # fault: eps-vanishes
    return -(target * torch.log(p) + (1 - target) * torch.log(1 - p)).mean()


torch.manual_seed(0)
net = nn.Linear(8, 1)
with torch.no_grad():
    net.weight.mul_(20)
x = torch.randn(256, 8)
loss = bce(net(x).squeeze(-1), (torch.rand(256) < 0.5).float())


def harm():
    return float(not loss.isfinite())

# right:
#- loss = bce(net(x).squeeze(-1), (torch.rand(256) < 0.5).float())
#+ loss = bce(net(x).squeeze(-1), (torch.rand(256) < 0.5).float(), eps=1e-6)
