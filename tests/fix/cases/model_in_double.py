# machine: a100
import torch
from torch import nn

net = nn.Linear(4, 4).to("cuda").double()
x = torch.zeros(2, 4, device="cuda")
net(x)

# fixed:
#- x = torch.zeros(2, 4, device="cuda")
#+ x = torch.zeros(2, 4, device="cuda", dtype=torch.float64)
