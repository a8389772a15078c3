"""A spectral derivative takes its wave numbers from NumPy: complex64 becomes complex128, and the flow float64."""
import numpy as np
import torch
from torch import nn


class Burgers(nn.Module):
    def __init__(self, n, viscosity=0.02):
        super().__init__()
        self.viscosity = viscosity
        self.register_buffer("k", torch.from_numpy(2j * np.pi * np.fft.rfftfreq(n, d=1.0 / n)))

    def forward(self, u):
        spectrum = torch.fft.rfft(u)
        slope = torch.fft.irfft(self.k * spectrum, n=u.shape[-1])  # fault: widening
        bend = torch.fft.irfft(self.k.square() * spectrum, n=u.shape[-1])
        return self.viscosity * bend - u * slope


torch.manual_seed(0)
flow = Burgers(256)
u = torch.sin(2 * torch.pi * torch.arange(256) / 256).repeat(32, 1)
for _ in range(20):
    u = u + 1e-4 * flow(u)


def harm():
    return u.nbytes / (32 * 256 * 4) - 1

# right:
#-         self.register_buffer("k", torch.from_numpy(2j * np.pi * np.fft.rfftfreq(n, d=1.0 / n)))
#+         k = torch.from_numpy(2j * np.pi * np.fft.rfftfreq(n, d=1.0 / n))
#+         self.register_buffer("k", k.to(torch.complex64))
