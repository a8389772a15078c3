"""Kurtosis for picking layers to quantize: the fourth power of activations near 40 in float16 is infinite."""
import torch
from torch import nn


class Probe:
    def __init__(self):
        self.seen = {}

    def __call__(self, module, given, out):
        centred = out - out.mean()
        self.seen[type(module).__name__] = (centred.pow(4).mean() / centred.pow(2).mean() ** 2)  # fault: overflow


torch.manual_seed(0)
layer = nn.Linear(16, 32).requires_grad_(False)
probe = Probe()
layer.register_forward_hook(probe)
dtype = torch.float16
layer.to(dtype)(torch.randn(64, 16).to(dtype) * 60)


def harm():
    return 0.0 if probe.seen["Linear"].isfinite() else 1.0

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
