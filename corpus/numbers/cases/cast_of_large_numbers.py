"""Spectrum magnitudes of a sound are cast to float16 before the logarithm."""
import torch

torch.manual_seed(0)
wave = torch.randn(4096) * 2000
power = torch.fft.rfft(wave).abs()
small = power.to(torch.float16)  # fault: overflow
level = small.log10()


def harm():
    return float(level.isinf().sum())

# right:
#- small = power.to(torch.float16)
#- level = small.log10()
#+ small = power
#+ level = small.log10().to(torch.float16)
