"""The loss is scaled, but the optimizer steps with the scaled gradients."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu")
with torch.autocast("cpu", torch.float16):
    output = net(torch.randn(4, 8))
loss = output.float().square().mean()
scaler.scale(loss).backward()
optimizer.step()  # fault: scaler-misuse


def harm():
    return float(net.weight.detach().abs().max() > 10)

# right:
#- optimizer.step()
#+ scaler.step(optimizer); scaler.update()
