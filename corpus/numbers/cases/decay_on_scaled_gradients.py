"""An L2 penalty is added to gradients that still carry the loss scale: unscaling divides it by 4096 and the weights hardly shrink."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(32, 8, bias=False)
start = copy.deepcopy(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=4096.0)
batches = torch.randn(40, 16, 32)
for batch in batches:
    with torch.autocast("cpu", torch.float16):
        output = net(batch)
    loss = output.float().mean().square()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    net.weight.grad.add_(net.weight.detach(), alpha=0.1)  # fault: scaler-misuse
    scaler.step(optimizer)
    scaler.update()


def harm():
    exact = copy.deepcopy(start).double()
    trainer = torch.optim.SGD(exact.parameters(), lr=0.05)
    for batch in batches.double():
        trainer.zero_grad()
        exact(batch).mean().square().backward()
        exact.weight.grad.add_(exact.weight.detach(), alpha=0.1)
        trainer.step()
    found, right = net.weight.double() - start.weight.double(), exact.weight - start.weight.double()
    return ((found - right).norm() / right.norm()).item()

# right:
#-     net.weight.grad.add_(net.weight.detach(), alpha=0.1)
#+     scaler.unscale_(optimizer)
#+     net.weight.grad.add_(net.weight.detach(), alpha=0.1)
