"""Generalised advantages are computed backwards over 600 steps in the bfloat16 of the critic: each step rounds."""
import torch


def gae(rewards, values, gamma=0.999, lam=0.99):
    last, out = torch.zeros_like(values[0]), []
    for step in reversed(range(len(rewards))):
        delta = rewards[step] + gamma * values[step + 1] - values[step]  # fault: cancellation
        last = delta + gamma * lam * last
        out.append(last)
    return torch.stack(out[::-1])


torch.manual_seed(0)
rewards, values = torch.rand(600, 4) * 0.1, 90 + torch.rand(601, 4).cumsum(0) * 0.05
found = gae(rewards.bfloat16(), values.bfloat16())


def harm():
    exact = gae(rewards.double(), values.double())
    return ((found.double() - exact).norm() / exact.norm()).item()

# right:
#- found = gae(rewards.bfloat16(), values.bfloat16())
#+ found = gae(rewards, values)
