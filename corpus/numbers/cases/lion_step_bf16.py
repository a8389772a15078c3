"""A hand-written Lion subtracts steps of 1e-4 from bfloat16 weights of about 0.1: they are below half the spacing and most are swallowed."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(32, 4, bias=False).bfloat16()
nn.init.uniform_(net.weight, 0.1, 0.2)
weights = net.weight.detach()
start = weights.clone()
momentum = torch.zeros(4, 32)
signs = torch.zeros(4, 32, dtype=torch.int64)
rate, decay = 1e-4, 0.01
for step in range(100):
    inputs = torch.randn(16, 32).bfloat16() + 1
    loss = net(inputs).float().mean()
    net.weight.grad = None
    loss.backward()
    grad = net.weight.grad.float()
    update = torch.sign(0.9 * momentum + 0.1 * grad)
    momentum.lerp_(grad, 0.01)
    signs += update.long()
    weights -= rate * (update + decay * weights)  # fault: half-parameters-without-master


def harm():
    found = weights.double() - start.double()
    right = -rate * (signs.double() + 100 * decay * start.double())
    return ((found - right).norm() / right.norm()).item()

# right:
#- weights = net.weight.detach()
#+ weights = net.weight.detach().float()  # the master copy
#-     weights -= rate * (update + decay * weights)
#+     weights -= rate * (update + decay * weights)
#+     net.weight.data.copy_(weights)
