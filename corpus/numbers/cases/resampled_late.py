"""Linear resampling 44.1 to 48 kHz: source places of late samples in float32 have no fraction left."""
import torch


def resample_chunk(wave, start, count, ratio, dtype):
    idx = torch.arange(start, start + count)
    src = idx.to(dtype) * ratio
    left = src.floor()
    frac = src - left  # fault: cancellation
    left = left.long() - int(start * ratio)
    return wave[left] * (1 - frac) + wave[left + 1] * frac


ratio = 44100 / 48000
start, count = 20_000_000, 600
wave = torch.sin(torch.arange(800) * 0.9)
out = resample_chunk(wave, start, count, ratio, torch.float32)


def harm():
    exact = resample_chunk(wave.double(), start, count, ratio, torch.float64)
    return ((out.double() - exact).norm() / exact.norm()).item()

# right:
#- out = resample_chunk(wave, start, count, ratio, torch.float32)
#+ out = resample_chunk(wave, start, count, ratio, torch.float64)
