"""Speech and noise are mixed as 16-bit samples: loud sums wrap around to the other sign instead of clipping."""
import math

import torch

torch.manual_seed(0)
rate = 8000
seconds = torch.arange(rate) / rate
speech = (torch.sin(2 * math.pi * 200 * seconds) * 24000).round().to(torch.int16)
noise = (torch.randn(rate) * 6000).clamp(-32768, 32767).round().to(torch.int16)
mixed = speech + noise  # fault: wrap
waveform = mixed.float() / 32768
frames = waveform.unfold(0, 400, 160)
energy = frames.square().mean(-1).log()


def harm():
    right = (speech.double() + noise.double()).clamp(-32768, 32767) / 32768
    return ((waveform.double() - right).norm() / right.norm()).item()

# right:
#- mixed = speech + noise
#+ mixed = (speech.int() + noise.int()).clamp(-32768, 32767)
