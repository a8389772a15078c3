"""Advantages: returns minus values, both near 400 and both rounded to bfloat16 before."""
import torch

torch.manual_seed(0)
values = 400 + 5 * torch.randn(1000)
returns = values + 0.3 * torch.randn(1000)
advantage = returns.bfloat16() - values.bfloat16()  # fault: cancellation


def harm():
    right = (returns - values).double()
    return ((advantage.double() - right).norm() / right.norm()).item()

# right:
#- advantage = returns.bfloat16() - values.bfloat16()
#+ advantage = (returns - values).bfloat16()
