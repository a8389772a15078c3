"""Julian dates from NumPy become float32: days apart by a quarter, folded over a period of 0.7."""
import numpy as np
import torch

PERIOD, EPOCH = 0.7362521, 2454833.0


def fold(times):
    return ((times - EPOCH) / PERIOD) % 1.0


class Template(torch.nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.level = torch.nn.Parameter(torch.ones(bins))

    def forward(self, phase):
        index = (phase * len(self.level)).long().clamp(0, len(self.level) - 1)
        return self.level[index]


days = EPOCH + 4000.0 + np.arange(400) * 0.2371
times = torch.from_numpy(days).float()  # fault: angle-in-half
phase = fold(times).float()
shape = Template(20)(phase)


def harm():
    exact = ((days - EPOCH) / PERIOD) % 1.0
    return float(np.median(np.abs(phase.numpy() - exact)))

# right:
#- times = torch.from_numpy(days).float()
#+ times = torch.from_numpy(days)
