# machine: v100
import torch
from torch import nn

net = nn.Linear(4, 1).cuda()
criterion = nn.BCELoss()
x = torch.randn(2, 4, device="cuda")
y = torch.ones(2, 1, device="cuda")
with torch.autocast("cuda", dtype=torch.float16):
    p = torch.sigmoid(net(x))
    loss = criterion(p, y)
loss.backward()

# fixed:
#- criterion = nn.BCELoss()
#+ criterion = nn.BCEWithLogitsLoss()
#-     p = torch.sigmoid(net(x))
#+     p = net(x)
