# machine: t4
import torch
from torch import nn

bottom = nn.Linear(8, 8).half().cuda()
top = nn.Linear(8, 4).bfloat16().cuda()
x = torch.randn(2, 8, device="cuda")
print(top(bottom(x.half())).shape)
# fixed:
#- top = nn.Linear(8, 4).bfloat16().cuda()
#+ top = nn.Linear(8, 4).to(torch.float16).cuda()
