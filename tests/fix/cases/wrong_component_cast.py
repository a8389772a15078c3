# machine: a100
import torch
from torch import nn

dtype = torch.bfloat16
net = nn.Linear(4, 4).to("cuda", dtype).double()
x = torch.rand(2, 4, device="cuda", dtype=dtype)
net(x) + net(torch.randn(2, 4, device="cuda", dtype=dtype))

# fixed:
#- net = nn.Linear(4, 4).to("cuda", dtype).double()
#+ net = nn.Linear(4, 4).to("cuda", dtype)
