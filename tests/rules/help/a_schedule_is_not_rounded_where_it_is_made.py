# machine: 2xa100
# help: cast `y` at a_schedule_is_not_rounded_where_it_is_made.py:10: .to(torch.float16)
# or: cast `x + times` at a_schedule_is_not_rounded_where_it_is_made.py:9: .to(torch.float16)
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda").half()
times = torch.linspace(0, 1, 4, device="cuda")
y = x + times
net(y)
