# machine: 2xa100
# help: cast `x` at a_cast_after_the_birth_says_the_same.py:9: .to(torch.float16)
# or: pass dtype=torch.float16 to `torch.randn` at a_cast_after_the_birth_says_the_same.py:7
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda")
x = x.float()
net(x)
