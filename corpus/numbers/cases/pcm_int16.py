"""A synthesized wave is multiplied by 32768 and cast to int16: peaks of 1.0 and more change their sign."""
import math
import torch


def to_pcm(wave):
    return torch.round(wave * 32768.0).to(torch.int16)  # fault: wrap


torch.manual_seed(0)
time = torch.arange(24000) / 24000
envelope = 0.6 + 0.45 * torch.sin(2 * math.pi * 2 * time)
wave = envelope * torch.sin(2 * math.pi * 220 * time)
pcm = to_pcm(wave)


def harm():
    error = (pcm.double() / 32768 - wave.double().clamp(-1, 1)).abs().max().item()
    return float(error)

# right:
#-     return torch.round(wave * 32768.0).to(torch.int16)
#+     return torch.round(wave.clamp(-1.0, 1.0) * 32767.0).to(torch.int16)
