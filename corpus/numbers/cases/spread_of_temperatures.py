"""The spread of temperatures around 290 K as E[x^2] - E[x]^2 in bfloat16."""
import torch

torch.manual_seed(0)
kelvin = (290 + 3 * torch.randn(4096)).bfloat16()
spread = kelvin.square().mean() - kelvin.mean().square()  # fault: cancellation


def harm():
    right = kelvin.double().var(correction=0).item()
    return abs(float(spread) / right - 1)

# right:
#- spread = kelvin.square().mean() - kelvin.mean().square()
#+ spread = kelvin.float().var(correction=0)
