"""Flow matching: the noise level in bfloat16 times 1000 is the timestep, of which 256 and more collide."""
import math

import torch

sigmas = torch.linspace(1.0, 0.001, 400)
steps = sigmas.to(torch.bfloat16) * 1000  # fault: angle-in-half
frequencies = torch.exp(-math.log(10000) * torch.arange(16) / 16)
embedding = torch.cos(steps[:, None].float() * frequencies)


def harm():
    exact = torch.cos((sigmas.double() * 1000)[:, None] * frequencies.double())
    return (embedding.double() - exact).abs().max().item()

# right:
#- steps = sigmas.to(torch.bfloat16) * 1000
#+ steps = sigmas * 1000
