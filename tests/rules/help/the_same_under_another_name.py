# machine: 2xa100
# help: cast `y` at the_same_under_another_name.py:10: .to(torch.float16)
# or: cast `norm(x.float())` at the_same_under_another_name.py:9: .to(torch.float16)
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda").half()
norm = nn.LayerNorm(4).cuda()
y = norm(x.float())
net(y)
