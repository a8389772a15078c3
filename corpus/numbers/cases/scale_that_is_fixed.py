"""A loss in float16 is multiplied by a fixed scale of 65536: it is infinite, and so are all gradients."""
import torch
from torch import nn


class StaticScale:
    def __init__(self, scale):
        self.scale = scale

    def backward(self, loss):
        (loss * self.scale).backward()  # fault: overflow

    def unscale(self, weights):
        for one in weights:
            one.grad.div_(self.scale)


torch.manual_seed(0)
net = nn.Linear(16, 1)
scale = StaticScale(65536.0)
for _ in range(2):
    net.zero_grad()
    loss = (net(torch.randn(8, 16)) - 4).square().mean().half()
    scale.backward(loss)
    scale.unscale(net.parameters())


def harm():
    return 1 - net.weight.grad.isfinite().float().mean().item()

# right:
#-     loss = (net(torch.randn(8, 16)) - 4).square().mean().half()
#+     loss = (net(torch.randn(8, 16)) - 4).square().mean()
