"""A phase vocoder adds up phase advances over 400 frames by cumsum of float16, before it takes cos and sin again."""
import math

import torch

torch.manual_seed(0)
sound = torch.sin(torch.arange(40000) * 0.3) + 0.1 * torch.randn(40000)
window = torch.hann_window(256)
spectrum = torch.stft(sound, 256, hop_length=64, window=window, return_complex=True)[:40]
advance = torch.diff(spectrum.angle(), dim=1)
expected = 2 * math.pi * 64 * torch.arange(40)[:, None] / 256
advance = expected + torch.remainder(advance - expected + math.pi, 2 * math.pi) - math.pi
phase = torch.cumsum(advance.half(), 1)
turned = torch.complex(phase.cos().float(), phase.sin().float())  # fault: angle-in-half
stretched = spectrum.abs()[:, 1:] * turned


def harm():
    exact = advance.double().cumsum(1)
    return (turned.real - exact.cos()).abs().mean().item()

# right:
#- phase = torch.cumsum(advance.half(), 1)
#+ phase = torch.cumsum(advance.double(), 1)
