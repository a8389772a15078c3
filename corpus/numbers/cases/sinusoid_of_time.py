"""A sinusoidal embedding of timesteps whose angles are bfloat16."""
import math

import torch

timesteps = torch.arange(0, 1000, 7)
rates = torch.exp(-math.log(10000) * torch.arange(64) / 64)
angles = timesteps[:, None].to(torch.bfloat16) * rates.to(torch.bfloat16)  # fault: angle-in-half
embedding = torch.cat([angles.sin(), angles.cos()], -1)


def harm():
    right = timesteps[:, None].double() * rates.double()
    return (embedding[:, :64].double() - right.sin()).abs().max().item()

# right:
#- angles = timesteps[:, None].to(torch.bfloat16) * rates.to(torch.bfloat16)
#- embedding = torch.cat([angles.sin(), angles.cos()], -1)
#+ angles = timesteps[:, None].float() * rates
#+ embedding = torch.cat([angles.sin(), angles.cos()], -1).to(torch.bfloat16)
