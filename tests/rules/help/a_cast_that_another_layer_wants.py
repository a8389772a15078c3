# machine: 2xa100
# help: cast `x` at a_cast_that_another_layer_wants.py:10: .to(torch.float16)
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda").half()
norm = nn.LayerNorm(4).cuda()
x = x.float()
x = norm(x)
net(x)
