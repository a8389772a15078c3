# machine: 2xa100
# help: cast `input` before linear at the_same_in_other_words.py:9: .to(torch.float16)
# or: cast to torch.float16 at the_same_in_other_words.py:8, not to float32
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda")
y = x.to(dtype=torch.float32)
net(y)
