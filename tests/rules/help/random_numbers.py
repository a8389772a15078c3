# machine: 2xa100
# help: cast `torch.cat([x, m])` at random_numbers.py:9: .to(torch.float16)
# or: pass dtype=torch.float16 to `torch.randn` at random_numbers.py:8
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda").half()
m = torch.randn(2, 4, device="cuda")
net(torch.cat([x, m]))
