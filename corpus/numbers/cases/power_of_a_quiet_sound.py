"""The power of a quiet sound in float16: each square is below 6e-8."""
import torch

torch.manual_seed(0)
sound = (torch.randn(16000) * 5e-5).half()
power = sound.square().mean()  # fault: underflow


def harm():
    return abs(float(power) / sound.double().square().mean().item() - 1)

# right:
#- power = sound.square().mean()
#+ power = sound.float().square().mean()
