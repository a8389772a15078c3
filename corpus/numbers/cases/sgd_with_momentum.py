"""SGD with Nesterov momentum fine-tunes a bfloat16 convolution at lr 1e-5."""
import torch
from torch import nn


def fit(net, steps):
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-5, momentum=0.9, nesterov=True)
    for _ in range(steps):
        batch = torch.randn(4, 3, 8, 8).to(net[0].weight.dtype)
        loss = net(batch).float().abs().mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 6, 3), nn.SiLU(), nn.Conv2d(6, 1, 3))
net.to(torch.bfloat16)  # fault: half-parameters-without-master
kept = net[0].weight.detach().clone()
fit(net, 10)


def harm():
    return (net[0].weight == kept).float().mean().item()

# right:
#- net.to(torch.bfloat16)
#+ net.to(torch.float32)
