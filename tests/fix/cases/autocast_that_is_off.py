# machine: v100
import torch
from torch import nn

net = nn.Linear(4, 4).cuda()
x = torch.randn(2, 4, device="cuda").half()
with torch.autocast("cuda", enabled=False):
    y = net(x)

# fixed:
#- with torch.autocast("cuda", enabled=False):
#+ with torch.autocast("cuda"):
