"""Days since 2000 as a float16 feature, turned to the day of the week by sin(2 pi d / 7): Monday is read as Tuesday."""
import math

import torch

DTYPE = torch.float16
days = torch.arange(8000, 9500, 7)
feature = days.to(DTYPE)  # fault: angle-in-half
weekday = torch.sin(2 * math.pi / 7.0 * feature.float() + 0.5)


def harm():
    return (weekday - torch.sin(2 * math.pi / 7.0 * days.double() + 0.5)).abs().max().item()

# right:
#- DTYPE = torch.float16
#+ DTYPE = torch.float32
