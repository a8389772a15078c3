"""LOMO: a hook steps each weight as soon as its gradient is there, and the weights are bfloat16 with nothing beside them."""
import torch
import torch.nn.functional as F
from torch import nn


def fuse_descent(model, lr):
    @torch.no_grad()
    def step(p):
        p.add_(p.grad, alpha=-lr)  # fault: half-parameters-without-master
        p.grad = None

    for p in model.parameters():
        p.register_post_accumulate_grad_hook(step)


torch.manual_seed(0)
x = torch.randn(256, 64)
net = nn.Linear(64, 16, bias=False)
y = x @ (net.weight.detach() * 6 + 0.05 * torch.randn(16, 64)).T
net.weight.data.mul_(6)
net.bfloat16()
fuse_descent(net, 2e-2)
losses = []
for _ in range(800):
    loss = F.mse_loss(net(x.bfloat16()).float(), y)
    losses.append(loss.item())
    loss.backward()


def harm():
    return losses[-1] / losses[0]

# right:
#-     @torch.no_grad()
#+     master = {p: p.detach().float() for p in model.parameters()}
#+
#+     @torch.no_grad()
#-         p.add_(p.grad, alpha=-lr)
#+         p.copy_(master[p].add_(p.grad, alpha=-lr))
