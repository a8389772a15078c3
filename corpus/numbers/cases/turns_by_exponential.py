"""Tones are turned by exp(1j * angle): the angle is a product in float16, whose neighbours are 0.25 apart at 500."""
import torch

torch.manual_seed(0)
steps = torch.arange(200.0).half()
rates = (torch.rand(32) * 3).half()
angle = rates[:, None] * steps  # fault: angle-in-half
turned = torch.exp(1j * angle.float())


def harm():
    exact = torch.exp(1j * rates.double()[:, None] * steps.double())
    return (turned - exact).abs().mean().item()

# right:
#- angle = rates[:, None] * steps
#+ angle = rates.float()[:, None] * steps.float()
