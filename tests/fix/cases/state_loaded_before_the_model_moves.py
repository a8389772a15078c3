# machine: a100
import io

import torch
from torch import nn

device = torch.device("cuda")


def step(net, optimizer):
    net(torch.randn(2, 8, device=device)).sum().backward()
    optimizer.step()


net = nn.Linear(8, 4).to(device)
optimizer = torch.optim.Adam(net.parameters())
step(net, optimizer)
file = io.BytesIO()
torch.save({"net": net.state_dict(), "optimizer": optimizer.state_dict()}, file)
file.seek(0)
saved = torch.load(file, map_location="cpu")
net = nn.Linear(8, 4)
optimizer = torch.optim.Adam(net.parameters())
net.load_state_dict(saved["net"])
optimizer.load_state_dict(saved["optimizer"])
net.to(device)
step(net, optimizer)
# fixed:
#+ net.to(device)
#- net.to(device)
