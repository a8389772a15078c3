# machine: v100
import torch
from torch import nn

layer = nn.Linear(4, 4)
for p in layer.parameters():
    p.data = p.data.cuda()
assert layer.weight.is_cuda
y = layer(torch.ones(1, 4, device="cuda"))
layer.weight.data.copy_(torch.eye(4))
layer.weight.data.normal_(0, 0.02)
layer.weight.data[0] = 1.0
with torch.no_grad():
    layer.weight.copy_(torch.zeros(4, 4))
    layer.bias.add_(1)
for p in layer.parameters():
    p.data = p.data.to("cpu")
assert not layer.weight.is_cuda
layer(torch.ones(1, 4))
