"""A sound is delayed by a fraction of a sample in its spectrum: the angle of each bin is computed in the delays' half."""
import math

import torch


def delay(sound, samples):
    spectrum = torch.fft.rfft(sound.float())
    bins = torch.arange(spectrum.shape[-1], dtype=samples.dtype)
    angle = -2 * math.pi / sound.shape[-1] * (bins * samples[:, None])  # fault: angle-in-half
    turn = torch.polar(torch.ones_like(angle, dtype=torch.float32), angle.float())
    return torch.fft.irfft(spectrum * turn, n=sound.shape[-1])


torch.manual_seed(0)
sound = torch.randn(6, 1024).half()
samples = (torch.rand(6) * 30 + 5).half()
late = delay(sound, samples)


def harm():
    spectrum = torch.fft.rfft(sound.double())
    angle = -2 * math.pi / 1024 * torch.arange(513) * samples.double()[:, None]
    exact = torch.fft.irfft(spectrum * torch.exp(1j * angle), n=1024)
    return (late - exact).abs().mean().item()

# right:
#- late = delay(sound, samples)
#+ late = delay(sound, samples.float()).half()
