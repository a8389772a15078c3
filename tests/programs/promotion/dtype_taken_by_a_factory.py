# machine: a100
import torch
from torch import nn

own = nn.Linear(4, 4).cuda().bfloat16()
x = torch.randn(2, 4, device="cuda").bfloat16()
weight = torch.rand(2, 1, device="cuda").half()  # origin
# fixed: weight = torch.rand(2, 1, device="cuda").bfloat16()
messages = x * weight  # origin
summed = torch.zeros(2, 4, device="cuda", dtype=messages.dtype)  # origin
own(own(x) + summed)  # origin # finding: operand-dtype-mismatch linear input
