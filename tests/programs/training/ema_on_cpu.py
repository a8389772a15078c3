# machine: a100
import torch
from torch import nn

model = nn.Linear(4, 4).cuda()  # origin
shadow = [p.detach().clone().cpu() for p in model.parameters()]
# fixed: shadow = [p.detach().clone() for p in model.parameters()]
for s, p in zip(shadow, model.parameters()):
    s.mul_(0.999).add_(p.detach(), alpha=0.001)  # finding: operand-device-mismatch add_ other
