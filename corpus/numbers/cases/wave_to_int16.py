"""A wave in -1..1 times 32768 is cast to int16: its loudest peak becomes the lowest number, a click."""
import torch


def to_pcm(wave):
    wave = wave / wave.abs().max()
    return (wave * 32768).to(torch.int16)  # fault: wrap


t = torch.arange(2000) / 16000
wave = torch.sin(2 * torch.pi * 500 * t) * 0.3
pcm = to_pcm(wave)


def harm():
    return (pcm.double() / 32768 - wave.double() / 0.3).abs().max().item()

# right:
#-     return (wave * 32768).to(torch.int16)
#+     return (wave * 32767).to(torch.int16)
