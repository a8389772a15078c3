"""The scaled loss is dropped and the plain one sent backward: unscaling makes its gradients 1024 times too small."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 8)
start = net.weight.detach().clone()
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    loss = net(torch.randn(16, 8)).square().mean()
    scaled = scaler.scale(loss)
    loss.backward()  # fault: scaler-misuse
    scaler.step(optimizer)
    scaler.update()


def harm():
    return 0.01 / max((net.weight - start).abs().mean().item(), 1e-9)

# right:
#-     loss.backward()
#+     scaled.backward()
