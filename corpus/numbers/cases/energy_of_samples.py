"""The energy of int16 samples: their squares wrap."""
import torch

torch.manual_seed(0)
samples = (torch.randn(4000) * 3000).to(torch.int16)
energy = (samples * samples).float().mean()  # fault: wrap


def harm():
    return abs(float(energy) / samples.double().square().mean().item() - 1)

# right:
#- energy = (samples * samples).float().mean()
#+ energy = (samples.double() * samples).mean()
