"""float16 autocast trains without a scaler: gradients below 6e-8 are 0."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
with torch.autocast("cpu", torch.float16):
    output = net(torch.randn(8, 32))
loss = output.float().mean() * 3e-6
loss.backward()  # fault: underflow
optimizer.step()


def harm():
    return (net[0].weight.grad == 0).float().mean().item()

# right:
#- loss.backward()
#+ scaler = torch.amp.GradScaler("cpu"); scaler.scale(loss).backward(); scaler.unscale_(optimizer)
