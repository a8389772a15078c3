"""A clip of the program's own bounds gradients that are still multiplied by the scaler's 65536."""
import torch
from torch import nn


class Loop:
    def __init__(self, net):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=65536.0)

    def clip(self, most):
        grads = [one.grad for one in self.net.parameters()]
        length = torch.stack([one.norm() for one in grads]).norm()
        for one in grads:
            one.mul_((most / (length + 1e-6)).clamp(max=1.0))  # fault: scaler-misuse

    def step(self, batch):
        self.optimizer.zero_grad()
        with torch.autocast("cpu", torch.float16):
            out = self.net(batch)
        self.scaler.scale((out.float() - 1).square().mean()).backward()
        self.clip(1.0)
        self.scaler.step(self.optimizer)
        self.scaler.update()


torch.manual_seed(0)
net = nn.Linear(8, 8)
start = net.weight.detach().clone()
loop = Loop(net)
for _ in range(4):
    loop.step(torch.randn(16, 8))


def harm():
    return 1.0 if (net.weight - start).abs().max().item() < 1e-3 else 0.0

# right:
#-         self.clip(1.0)
#+         self.scaler.unscale_(self.optimizer)
#+         self.clip(1.0)
