"""Spiking neurons leak with beta 0.998: their membrane potential in bfloat16 stops below the threshold and never fires."""
import torch
from torch import nn


class LeakyNeurons(nn.Module):
    def __init__(self, size, beta=0.998, threshold=1.0, dtype=torch.bfloat16):
        super().__init__()
        self.beta, self.threshold = beta, threshold
        self.potential = torch.zeros(size, dtype=dtype)

    def forward(self, current):
        self.potential.mul_(self.beta).add_(current, alpha=1 - self.beta)  # fault: state-in-half
        fired = self.potential >= self.threshold
        self.potential.masked_fill_(fired, 0.0)
        return fired.to(current.dtype)


torch.manual_seed(0)
synapses = nn.Linear(24, 64).bfloat16()
synapses.bias.data.fill_(1.5)
neurons = LeakyNeurons(64)
spikes, currents = 0, []
with torch.no_grad():
    for _ in range(2000):
        currents.append(synapses(0.3 * torch.randn(24).bfloat16()))
        spikes += int(neurons(currents[-1]).sum())


def harm():
    exact = LeakyNeurons(64, dtype=torch.float64)
    return abs(spikes / sum(int(exact(current.double()).sum()) for current in currents) - 1)

# right:
#- neurons = LeakyNeurons(64)
#+ neurons = LeakyNeurons(64, dtype=torch.float32)
