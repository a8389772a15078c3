"""The phase of a harmonic source is summed in the half precision of the predicted pitch."""
import math
import torch


def sine_source(f0, rate=24000, hop=240):
    pitch = f0.repeat_interleave(hop, dim=-1)
    cycles = torch.cumsum(pitch / rate, dim=-1)  # fault: angle-in-half
    return torch.sin(2 * math.pi * cycles).float()


torch.manual_seed(0)
frames = (200 + 10 * torch.sin(torch.arange(300) / 30)).half()
f0 = frames.expand(2, -1)
excitation = 0.1 * sine_source(f0) + 0.003 * torch.randn(2, 72000)


def harm():
    phase = torch.cumsum(f0.double().repeat_interleave(240, dim=-1) / 24000, dim=-1)
    right = torch.sin(2 * math.pi * phase)
    got = sine_source(f0).double()
    correlation = (got * right).sum() / (got.norm() * right.norm())
    return float(1 - correlation.item())

# right:
#-     cycles = torch.cumsum(pitch / rate, dim=-1)
#+     cycles = torch.cumsum(pitch.double() / rate, dim=-1) % 1.0
