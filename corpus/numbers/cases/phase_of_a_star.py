"""Julian dates from NumPy that torch.tensor makes float32: days apart by a quarter, folded over a period of 0.7."""
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
times = torch.tensor(days, dtype=torch.float32)  # fault: angle-in-half
phase = fold(times).float()
shape = Template(20)(phase)


def harm():
    exact = ((days - EPOCH) / PERIOD) % 1.0
    return float(np.median(np.abs(phase.numpy() - exact)))

# right:
#- times = torch.tensor(days, dtype=torch.float32)
#+ times = torch.tensor(days)
