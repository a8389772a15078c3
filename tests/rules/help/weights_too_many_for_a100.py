# machine: 2xa100
# help: 134.11 GiB of parameters: load them in bfloat16, or split the model over more devices
import torch
from torch import nn
net = nn.Sequential(*[nn.Linear(30000, 30000, dtype=torch.float32) for _ in range(40)])
net.cuda()
