# machine: 2xa100
# help: cast `norm(x.float())` at the_same_on_one_line.py:8: .to(torch.float16)
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda").half()
norm = nn.LayerNorm(4).cuda()
net(norm(x.float()))
