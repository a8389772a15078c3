"""Minutes of a year in float16 make the features sin and cos of the time of day."""
import math

import torch


def features(minutes, dtype):
    phase = minutes.to(dtype) * (2 * math.pi / 1440)
    return torch.stack((torch.sin(phase), torch.cos(phase)), -1).float()  # fault: angle-in-half


torch.manual_seed(0)
minutes = torch.randint(0, 60000, (200,))
found = features(minutes, torch.float16)


def harm():
    return (found - features(minutes, torch.float64)).abs().max().item()

# right:
#- found = features(minutes, torch.float16)
#+ found = features(minutes, torch.float32)
