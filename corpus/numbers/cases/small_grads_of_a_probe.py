"""A float16 head on frozen features: the loss is a mean over 4 million elements, and each gradient is 0."""
import torch
from torch import nn


class Probe(nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.mix = nn.Linear(8, 64, dtype=dtype)

    def forward(self, features):
        return self.mix(features).float().square().sum() / 4e9


torch.manual_seed(0)
probe = Probe(torch.float16)
probe(torch.randn(32, 8).to(probe.mix.weight.dtype)).backward()  # fault: underflow


def harm():
    return (probe.mix.weight.grad == 0).float().mean().item()

# right:
#- probe = Probe(torch.float16)
#+ probe = Probe(torch.float32)
