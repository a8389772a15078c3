"""A discounted return, reward + 0.999 * return, in bfloat16 stops at a quarter of its value."""
import torch

torch.manual_seed(0)
rewards = torch.rand(3000).bfloat16() + 0.5
returns = torch.zeros((), dtype=torch.bfloat16)
for reward in rewards.flip(0):
    returns = reward + 0.999 * returns  # fault: accumulate-in-half


def harm():
    right = (rewards.double() * 0.999 ** torch.arange(3000).double()).sum().item()
    return abs(float(returns) / right - 1)

# right:
#- returns = torch.zeros((), dtype=torch.bfloat16)
#+ returns = torch.zeros(())
