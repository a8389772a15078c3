# machine: a100
import torch
from torch import nn

device = "cuda"
net = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid()).to(device)
bce = nn.BCELoss()
x, y = torch.randn(2, 4, device=device), torch.ones(2, 1, device=device)
with torch.autocast(device, dtype=torch.bfloat16):
    loss = bce(net(x), y)
loss.backward()

# fixed:
#-     loss = bce(net(x), y)
#+     prediction = net(x)
#+     with torch.autocast(device, enabled=False):
#+         loss = bce(prediction.float(), y)
