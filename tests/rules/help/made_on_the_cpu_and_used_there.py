# machine: 2xa100
# help: move `h` at made_on_the_cpu_and_used_there.py:9: .to("cuda")
import torch
from torch import nn
emb = nn.Linear(4, 4)
net = nn.Linear(4, 4).cuda()
x = torch.zeros(2, 4)
h = emb(x)
net(h)
