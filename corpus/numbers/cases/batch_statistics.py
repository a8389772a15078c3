"""BatchNorm in bfloat16 with momentum 0.001: the running statistics stop far from the truth."""
import torch
from torch import nn

torch.manual_seed(0)
norm = nn.BatchNorm1d(6, momentum=0.001).bfloat16()
for _ in range(300):
    hidden = torch.randn(256, 6) * 1.3 + 2
    norm(hidden.to(norm.weight.dtype))  # fault: state-in-half


def harm():
    right = 1.69 + (1 - 1.69) * 0.999 ** 300
    return abs(norm.running_var.double().mean().item() - right)

# right:
#- norm = nn.BatchNorm1d(6, momentum=0.001).bfloat16()
#+ norm = nn.BatchNorm1d(6, momentum=0.001)
