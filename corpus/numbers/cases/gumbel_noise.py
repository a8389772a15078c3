"""Gumbel noise in float16: uniform numbers that are 0 are not kept from the logarithm by 1e-20."""
import torch

torch.manual_seed(0)
uniform = torch.rand(64, 1000, dtype=torch.float16)
gumbel = -torch.log(-torch.log(uniform + 1e-20) + 1e-20)  # fault: eps-vanishes


def harm():
    return float((~gumbel.isfinite()).any())

# right:
#- uniform = torch.rand(64, 1000, dtype=torch.float16)
#+ uniform = torch.rand(64, 1000) * 0.999
