"""The energy of a long signal as a running total per frame, reduced with functools.reduce in float16."""
from functools import reduce

import torch

torch.manual_seed(0)
signal = torch.rand(3000, 64)
frames = [frame.half() for frame in signal]
total = reduce(lambda a, b: a + b.square().mean(), frames, torch.zeros((), dtype=frames[0].dtype))  # fault: accumulate-in-half


def harm():
    return abs(total.item() / signal.double().square().mean(1).sum().item() - 1)

# right:
#- frames = [frame.half() for frame in signal]
#+ frames = [frame for frame in signal]
