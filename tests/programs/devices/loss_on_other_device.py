# machine: 2xv100
import torch
import torch.nn.functional as F
from torch import nn

model = nn.Sequential(nn.Linear(4, 8).to("cuda:0"))
head = nn.Linear(8, 3).to("cuda:1")
x, target = torch.randn(2, 4).to("cuda:0"), torch.tensor([0, 2]).to("cuda:0")
logits = head(model(x).to("cuda:1"))
loss = F.cross_entropy(logits, target)  # finding: operand-device-mismatch cross_entropy_loss target
# fixed: loss = F.cross_entropy(logits, target.to(logits.device))
loss.backward()
