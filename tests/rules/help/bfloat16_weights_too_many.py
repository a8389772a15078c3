# machine: 2xa100
# help: 67.06 GiB of parameters: they are in bfloat16 already: quantize them, or split the model over more devices
import torch
from torch import nn
net = nn.Sequential(*[nn.Linear(30000, 30000, dtype=torch.bfloat16) for _ in range(40)])
net.cuda()
