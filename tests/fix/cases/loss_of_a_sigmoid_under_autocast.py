# machine: v100
import torch
import torch.nn.functional as F
from torch import nn

net = nn.Linear(4, 1).cuda()
x = torch.randn(2, 4, device="cuda")
with torch.autocast("cuda", dtype=torch.float16):
    loss = F.binary_cross_entropy(net(x).sigmoid(), torch.ones(2, 1, device="cuda"))
loss.backward()

# fixed:
#-     loss = F.binary_cross_entropy(net(x).sigmoid(), torch.ones(2, 1, device="cuda"))
#+     loss = F.binary_cross_entropy_with_logits(net(x), torch.ones(2, 1, device="cuda"))
