# machine: 2xv100
import torch
from torch import nn

a = nn.Linear(8, 8).to("cuda:0")
b = nn.Linear(8, 8).to("cuda:1")
x = torch.randn(2, 8, device="cuda:0")  # origin
hidden = a(x)
out = b(hidden)  # finding: operand-device-mismatch linear input
# fixed: out = b(hidden.to("cuda:1"))
out.sum().backward()
assert a.weight.grad.device == torch.device("cuda:0") and b.weight.grad.device == torch.device("cuda:1")
