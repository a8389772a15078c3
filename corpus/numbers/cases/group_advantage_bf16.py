"""Group-normalized advantages are computed in the bfloat16 of the reward model."""
import torch
from torch import nn


def group_advantages(rewards, group):
    grouped = rewards.view(-1, group)
    centred = grouped - grouped.mean(dim=1, keepdim=True)  # fault: statistics-in-half
    spread = centred.float().pow(2).mean(dim=1, keepdim=True).sqrt()
    return (centred.float() / (spread + 1e-6)).flatten()


torch.manual_seed(0)
head = nn.Linear(32, 1, dtype=torch.bfloat16)
with torch.no_grad():
    head.weight.mul_(0.03)
    head.bias.fill_(2.0)
    hidden = torch.randn(256, 32).bfloat16()
    rewards = head(hidden).squeeze(-1)
advantages = group_advantages(rewards, 8)


def harm():
    grouped = rewards.double().view(-1, 8)
    right = grouped - grouped.mean(dim=1, keepdim=True)
    right = (right / (right.pow(2).mean(dim=1, keepdim=True).sqrt() + 1e-6)).flatten()
    error = (advantages.double() - right).abs().max().item()
    return float(error)

# right:
#-     grouped = rewards.view(-1, group)
#+     grouped = rewards.float().view(-1, group)
#-     spread = centred.float().pow(2).mean(dim=1, keepdim=True).sqrt()
#-     return (centred.float() / (spread + 1e-6)).flatten()
#+     spread = centred.pow(2).mean(dim=1, keepdim=True).sqrt()
#+     return (centred / (spread + 1e-6)).flatten()
