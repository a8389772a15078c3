"""torch's Adam on a float16 network: eps is 0 there, and weights without a gradient become NaN."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Embedding(50, 16).half()  # fault: half-parameters-without-master
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3, foreach=False)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.arange(20)).float().square().mean().backward()
    optimizer.step()


def harm():
    return net.weight.isnan().float().mean().item()

# right:
#- net = nn.Embedding(50, 16).half()
#+ net = nn.Embedding(50, 16)
