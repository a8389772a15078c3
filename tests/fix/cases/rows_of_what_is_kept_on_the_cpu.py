# machine: v100
import torch
from torch import nn

device = torch.device("cuda")
net = nn.Linear(4, 2).to(device)
states, rewards = torch.zeros(64, 4), torch.zeros(64)
index = torch.randint(0, 64, (8,), device=device)
x, r = (field[index].to(device) for field in (states, rewards))
(net(x).amax(1) - r).square().mean().backward()

# fixed:
#- x, r = (field[index].to(device) for field in (states, rewards))
#+ x, r = (field[index.to(field.device)].to(device) for field in (states, rewards))
