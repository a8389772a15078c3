"""Advantages within groups of answers are divided by std, which is NaN for a group that has one answer only."""
import warnings

import torch

warnings.simplefilter("ignore")  # torch's own, which comes once


def advantages(rewards, groups):
    out = torch.zeros_like(rewards)
    for g in groups.unique():
        own = rewards[groups == g]
        out[groups == g] = (own - own.mean()) / (own.std() + 1e-4)  # fault: nan-mask
    return out


torch.manual_seed(0)
groups = torch.tensor([0, 0, 0, 0, 1, 1, 1, 2])
rewards = torch.rand(8)
log_probs = torch.randn(8, requires_grad=True)
loss = -(advantages(rewards, groups) * log_probs).mean()
loss.backward()


def harm():
    return log_probs.grad.isnan().float().mean().item() + float(loss.isnan())

# right:
#-         out[groups == g] = (own - own.mean()) / (own.std() + 1e-4)
#+         out[groups == g] = (own - own.mean()) / (own.std(correction=0) + 1e-4)
