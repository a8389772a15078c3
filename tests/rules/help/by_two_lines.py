# machine: 2xa100
# help: cast `y` at by_two_lines.py:10: .to(torch.float16)
# or: pass dtype=torch.float16 to `torch.ones` at by_two_lines.py:8
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda").half()
m = torch.ones(2, 4, device="cuda")
y = torch.cat([x, m])
net(y)
