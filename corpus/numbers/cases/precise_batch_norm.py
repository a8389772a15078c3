"""BatchNorm's statistics are measured anew with momentum=None, a plain mean over 900 batches, in a bfloat16 network."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8, momentum=None), nn.ReLU()).to(torch.bfloat16)
for p in net.parameters():
    p.requires_grad_(False)
net[0].weight.copy_(torch.eye(8, 4))
net[0].bias.zero_()
net.train()
seen = 0.0
for i in range(900):
    x = torch.randn(16, 4) + 3 * i / 900
    net(x.to(net[0].weight.dtype))  # fault: statistics-in-half
    seen += x.mean(0).double() / 900


def harm():
    return ((net[1].running_mean[:4].double() - seen).abs() / seen).mean().item()

# right:
#- net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8, momentum=None), nn.ReLU()).to(torch.bfloat16)
#+ net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8, momentum=None), nn.ReLU())
