"""Averaging 300 checkpoints one by one, avg += (p - avg) / n, in the float16 that they were saved in."""
import torch
from torch import nn


def average(checkpoints):
    avg = None
    for n, state in enumerate(checkpoints, 1):
        if avg is None:
            avg = {k: v.clone() for k, v in state.items()}
            continue
        for k in avg:
            avg[k] += (state[k] - avg[k]) / n  # fault: state-in-half
    return avg


torch.manual_seed(0)
net = nn.Linear(24, 24)
drift = torch.randn(24, 24) * 4e-4
dtype = torch.bfloat16
states = [{"weight": (net.weight.detach() + drift * i).to(dtype)} for i in range(300)]
merged = average(states)


def harm():
    exact = torch.stack([s["weight"].double() for s in states]).mean(0)
    way = exact - states[0]["weight"].double()
    return ((merged["weight"].double() - exact).norm() / way.norm()).item()

# right:
#-             avg = {k: v.clone() for k, v in state.items()}
#+             avg = {k: v.float() for k, v in state.items()}
