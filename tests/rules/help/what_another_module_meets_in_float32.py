# machine: a100
# help: cast `x` at what_another_module_meets_in_float32.py:10: .to(torch.float16)
import torch
from torch import nn
norm = nn.LayerNorm(4).cuda()
net = nn.Linear(4, 4).cuda().half()
x = torch.zeros(2, 4, device="cuda").half()
x = x.float()
y = norm(x)
net(x)
