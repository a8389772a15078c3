# machine: a100
import torch
from torch import nn

net = nn.Linear(4, 4).to("cuda", torch.bfloat16)
x = torch.randn(2, 4, 4, device="cuda", dtype=torch.bfloat16)
cov = net(x)
gain = torch.linalg.solve(cov + cov.mT, cov)
q, r = torch.linalg.qr(cov)
net(gain @ q @ r).sum().backward()
# fixed:
#- gain = torch.linalg.solve(cov + cov.mT, cov)
#- q, r = torch.linalg.qr(cov)
#+ gain = torch.linalg.solve((cov + cov.mT).float(), cov.float()).to(cov.dtype)
#+ q, r = (t.to(cov.dtype) for t in torch.linalg.qr(cov.float()))
