# machine: 2xa100
# help: cast `y` at the_same_in_other_words.py:9: .to(torch.float16)
# or: pass dtype=torch.float16 to `torch.randn` at the_same_in_other_words.py:7
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda")
y = x.to(dtype=torch.float32)
net(y)
