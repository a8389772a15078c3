# machine: a100
# help: move `x` at what_another_module_meets_on_the_cpu.py:9: .to("cuda")
import torch
from torch import nn
norm = nn.LayerNorm(4)
net = nn.Linear(4, 4).cuda()
x = torch.zeros(2, 4)
mean = norm(x).mean()
net(x)
