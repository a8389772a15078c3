# machine: a100
# real: cpu
# Of two halves that make float32, the one out of place is that which the weights are not, whichever comes first.
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
dtype = torch.float16
net = nn.Linear(4, 4).to(dev, dtype)
stored = torch.ones(2, 4, device=dev, dtype=dtype)
added = torch.ones(2, 4, device=dev, dtype=dtype) * 2
added = added.bfloat16()  # origin
# fixed: added = added.half()
both = torch.cat([stored, added])  # origin
net(both)  # finding: operand-dtype-mismatch linear input
