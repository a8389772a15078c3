"""The peak of int16 audio by abs().max(): -32768 has no positive number, and its square wraps."""
import torch

torch.manual_seed(0)
audio = (torch.randn(2, 4000) * 9000).clamp(-32768, 32767).to(torch.int16)
power = (audio * audio).float().mean(-1)  # fault: wrap
level = power.clamp_min(0).sqrt()


def harm():
    exact = audio.double().square().mean(-1).sqrt()
    return ((level - exact).abs() / exact).max().item()

# right:
#- power = (audio * audio).float().mean(-1)
#+ power = audio.float().square().mean(-1)
