"""A recording is normalised by its peak: the absolute value of int16 -32768, where a clipped sample stands, is -32768."""
import torch


def normalise(wave, ceiling=0.9):
    peak = wave.abs().amax(-1, keepdim=True)  # fault: wrap
    return wave.float() / peak.clamp_min(1).float() * ceiling


torch.manual_seed(0)
wave = torch.randn(8, 2000).mul(6000).clamp(-30000, 30000)
wave[::2, 700] = -40000.0
wave = wave.round().clamp(-32768, 32767).to(torch.int16)
loud = normalise(wave)


def harm():
    return (loud.abs().amax(-1) > 0.91).float().mean().item()

# right:
#-     peak = wave.abs().amax(-1, keepdim=True)
#+     peak = wave.int().abs().amax(-1, keepdim=True)
