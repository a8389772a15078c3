"""Targets of 1e-5 (currents in ampere) in float16: their squared errors are 0, the loss is 0, nothing is learnt."""
import torch
from torch import nn

torch.manual_seed(0)
current = torch.rand(64, 1) * 1e-4
guess = torch.zeros(64, 1)
half = torch.float16
loss = ((guess.to(half) - current.to(half)) ** 2).mean()  # fault: underflow


def harm():
    return abs(loss.item() / current.double().square().mean().item() - 1)

# right:
#- half = torch.float16
#+ half = torch.float32
