"""Structure factors of a crystal model: the phases k . r come out of an einsum in bfloat16 before the sine and cosine."""
import torch
from torch import nn


class EwaldFeatures(nn.Module):
    def __init__(self, waves=40, dtype=torch.bfloat16):
        super().__init__()
        self.k = (2 * torch.pi * torch.randint(-6, 7, (waves, 3)) / 9.0).to(dtype)
        self.mix = nn.Linear(waves, 8).bfloat16()

    def forward(self, places, charges):
        phase = torch.einsum("kd,nd->kn", self.k, places.to(self.k.dtype))  # fault: angle-in-half
        real, imaginary = phase.cos() @ charges, phase.sin() @ charges
        power = (real.square() + imaginary.square()) / len(charges)
        return self.mix(power.bfloat16()), power


torch.manual_seed(0)
features = EwaldFeatures()
places = (9 * torch.rand(300, 3)).bfloat16().float()
charges = (torch.arange(300) % 2 * 2.0 - 1).to(features.k.dtype)
out, power = features(places, charges)


def harm():
    k = (features.k.double() * 9 / 2 / torch.pi).round() * 2 * torch.pi / 9.0
    wave = torch.exp(1j * (k @ places.double().T)) @ charges.to(torch.complex128)
    true = wave.abs().square() / 300
    return ((power - true).square().mean().sqrt() / true.mean()).item()

# right:
#- features = EwaldFeatures()
#+ features = EwaldFeatures(dtype=torch.float32)
