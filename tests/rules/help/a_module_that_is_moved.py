# machine: 2xa100
# help: move the module: net.to("cuda")
import torch
from torch import nn
net = nn.Linear(4, 4)
net(torch.randn(2, 4, device="cuda"))
