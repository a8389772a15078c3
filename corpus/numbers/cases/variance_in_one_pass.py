"""The variance of audio with an offset is E[x^2] - E[x]^2 in float16."""
import torch

torch.manual_seed(0)
sound = torch.randn(4, 2000) * 0.05 + 3.0


def spread(x):
    return (x * x).mean(-1) - x.mean(-1) ** 2  # fault: cancellation


found = spread(sound.half())


def harm():
    return ((found.double() - sound.double().var(-1)).abs() / sound.double().var(-1)).mean().item()

# right:
#- found = spread(sound.half())
#+ found = spread(sound - sound.mean(-1, keepdim=True))
