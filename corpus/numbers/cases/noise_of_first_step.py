"""sqrt(1 - alpha) of the first steps of a schedule, subtracted in bfloat16."""
import torch

alphas = torch.cumprod(1 - torch.linspace(1e-4, 0.01, 100), 0)
signal = alphas.bfloat16()
noise = (1 - signal).sqrt()  # fault: cancellation


def harm():
    exact = (1 - alphas.double()).sqrt()
    return ((noise.double() - exact).abs() / exact).max().item()

# right:
#- signal = alphas.bfloat16()
#- noise = (1 - signal).sqrt()
#+ signal = alphas.bfloat16()
#+ noise = (1 - alphas).sqrt()
