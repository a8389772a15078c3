"""Squared gradients, averaged with 0.999 in bfloat16: 0.999 of a number is that number."""
import torch

torch.manual_seed(0)
moment = torch.full((32,), 4.0, dtype=torch.bfloat16)
for _ in range(500):
    gradient = torch.randn(32) * 0.01
    moment.mul_(0.999).addcmul_(gradient.to(moment.dtype), gradient.to(moment.dtype), value=0.001)  # fault: state-in-half


def harm():
    right = 4 * 0.999 ** 500
    return abs(moment.double().mean().item() / right - 1)

# right:
#- moment = torch.full((32,), 4.0, dtype=torch.bfloat16)
#+ moment = torch.full((32,), 4.0)
