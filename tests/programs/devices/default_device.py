# machine: v100
import torch
from torch import nn

torch.set_default_device("cuda")
model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 1))
x = torch.randn(2, 4)
assert x.is_cuda and model[0].weight.is_cuda
model(x).sum().backward()
with torch.device("cpu"):
    y = torch.zeros(3)
    assert y.device.type == "cpu"
torch.set_default_device("cpu")
with torch.device("cuda:0"):
    head = nn.Linear(1, 1)
assert head.weight.is_cuda and not torch.zeros(1).is_cuda
