"""What is left of a gate, 1 - sigmoid(x), and products of samples of sound: off by one rounding, and by 2e-7."""
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gate = nn.Linear(width, width)
        self.new = nn.Linear(width, width)

    def forward(self, x):
        gate = torch.sigmoid(4 * self.gate(x))
        return (1 - gate) * x + gate * torch.tanh(self.new(x))


def likeness(one, other):
    return (one.float() * other).mean() / (one.float() * one).mean()


torch.manual_seed(0)
x = torch.randn(64, 64)
gated = Gated(64)
with torch.no_grad():
    exact = gated.double()(x.double())
    found = gated.bfloat16()(x.bfloat16()).double()
assert (found - exact).norm() / exact.norm() < 0.01
plain = torch.randn(32, 32) * 4
rest = 1 - torch.sigmoid(plain.bfloat16())
assert (rest.double() - torch.sigmoid(-plain.double())).abs().max() < 0.01
sound = (torch.randn(2, 4000) * 5000).to(torch.int16)
alike = likeness(sound, sound.roll(1, 1))
assert abs(alike.item() - (sound.double() * sound.roll(1, 1)).mean().item() / sound.double().square().mean().item()) < 1e-5
