# machine: v100
import torch
import torch.nn.functional as F
from torch import nn

net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda", dtype=torch.float16)
loss = F.huber_loss(net(x), torch.zeros(2, 4, device="cuda"))
loss.backward()

# fixed:
#- loss = F.huber_loss(net(x), torch.zeros(2, 4, device="cuda"))
#+ loss = F.huber_loss(net(x).to(torch.float32), torch.zeros(2, 4, device="cuda"))
