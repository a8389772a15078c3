"""torch.autograd.grad of a loss that is not scaled fills .grad, and scaler.step divides it by 65536."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 3)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
scaler = torch.amp.GradScaler("cpu")
before = net.weight.detach().clone()
for _ in range(4):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.float16):
        out = net(torch.randn(10, 5))
    loss = (out.float() - 1).pow(2).mean()
    loss.backward()  # fault: scaler-misuse
    scaler.scale(torch.ones(()))
    scaler.step(optimizer)
    scaler.update()


def harm():
    return 1.0 if (net.weight - before).abs().max() < 1e-3 else 0.0

# right:
#-     loss.backward()
#-     scaler.scale(torch.ones(()))
#+     scaler.scale(loss).backward()
