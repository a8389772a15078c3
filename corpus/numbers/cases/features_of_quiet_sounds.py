"""The power of quiet and loud sounds is squared in float16, where the quiet ones are below its smallest number."""
import torch

torch.manual_seed(0)
wave = torch.logspace(-5, -3, 24)[:, None] * torch.randn(24, 1024)
spectrum = torch.fft.rfft(wave.unfold(-1, 256, 128)).abs()
power = spectrum.half() ** 2  # fault: underflow
features = torch.log(power.float() + 1e-10)


def harm():
    exact = torch.log(spectrum.double() ** 2 + 1e-10)
    return (features - exact).abs().mean().item()

# right:
#- power = spectrum.half() ** 2
#+ power = spectrum ** 2
