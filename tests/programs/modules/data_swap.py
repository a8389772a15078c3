# machine: a100
# real: cpu
# p.data = … changes the dtype behind torch's back.
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2)).to(dev)  # origin
model[1].weight.data = model[1].weight.data.to(torch.float16)
# fixed: model[1].weight.data = model[1].weight.data.to(torch.float32)
model(torch.randn(2, 4, device=dev))  # finding: operand-dtype-mismatch linear bias
