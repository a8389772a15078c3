"""Betas are one minus the ratio of neighbouring alphas in float16: both are near 1."""
import math

import torch


def alphas(steps, dtype):
    t = torch.linspace(0, 1, steps + 1)
    return (torch.cos((t + 0.008) / 1.008 * math.pi / 2) ** 2).to(dtype)


def betas(steps, dtype):
    bar = alphas(steps, dtype)
    return (1 - bar[1:] / bar[:-1]).clamp(0, 0.999)  # fault: cancellation


schedule = betas(1000, torch.float16)


def harm():
    exact = betas(1000, torch.float64)
    return (schedule.double()[:200] / exact[:200] - 1).abs().mean().item()

# right:
#- schedule = betas(1000, torch.float16)
#+ schedule = betas(1000, torch.float32)
