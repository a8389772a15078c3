"""The level of a tone over the floor of its spectrum, in decibels: in float32 the floor is rounding, and far below."""
import torch

rate = 16000
t = torch.arange(2 * rate, dtype=torch.float32) / rate
tone = 0.8 * torch.sin(2 * torch.pi * 440.0 * t)
spectrum = torch.fft.rfft(tone * torch.hann_window(len(tone))).abs()
level = 20 * (spectrum.max() / spectrum.median()).log10()
