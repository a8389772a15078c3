"""A discounted return in bfloat16 stands still at 256, where a reward is half of a spacing."""

import torch

rewards = torch.ones(600, dtype=torch.bfloat16)
value = torch.zeros((), dtype=torch.bfloat16)
for reward in rewards.flip(0):
    value = reward + 0.999 * value  # fault: accumulate-in-half


def harm():
    exact = (1 - 0.999**600) / 0.001
    return abs(value.item() / exact - 1)


# right:
#- value = torch.zeros((), dtype=torch.bfloat16)
#+ value = torch.zeros(())
