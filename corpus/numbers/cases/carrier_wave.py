"""A carrier of 5 MHz over 20 seconds by sin(2 pi f t) in float32: angles of 6e8 are apart by 64."""
import math

import torch


def demodulate(signal, t, f):
    angle = 2 * math.pi * f * t  # fault: angle-in-half
    i, q = torch.cos(angle), torch.sin(angle)
    return (signal * i).mean(-1), (signal * q).mean(-1)


torch.manual_seed(0)
f, rate = 5e6, 2.1e7
t = 20 + torch.arange(256, dtype=torch.float64) / rate
signal = torch.cos(2 * math.pi * f * t)
i, q = demodulate(signal.float(), t.float(), f)


def harm():
    wi, wq = demodulate(signal, t, f)
    return abs(i.item() - wi.item()) + abs(q.item() - wq.item())

# right:
#- i, q = demodulate(signal.float(), t.float(), f)
#+ i, q = demodulate(signal, t, f)
