"""A log-cosh loss by its formula in float16: cosh of an error of 12 is infinite."""
import torch
from torch import nn


class LogCosh(nn.Module):
    def forward(self, out, target):
        return torch.log(torch.cosh(out - target)).float().mean()  # fault: overflow


torch.manual_seed(0)
net = nn.Linear(8, 1).half()
criterion = LogCosh()
x = torch.randn(128, 8).half()
y = (x.float() @ torch.arange(8.0)[:, None]).half()
loss = criterion(net(x), y)
loss.backward()


def harm():
    return float(not loss.isfinite()) + net.weight.grad.isnan().float().mean().item()

# right:
#-         return torch.log(torch.cosh(out - target)).float().mean()
#+         away = (out - target).abs()
#+         return (away + torch.log1p(torch.exp(-2 * away)) - 0.6931).float().mean()
