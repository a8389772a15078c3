"""A running mean of rewards, mean += (reward - mean) / n, in float16."""
import torch

torch.manual_seed(0)
rewards = torch.rand(2500) * 20 + 100
mean = torch.zeros((), dtype=torch.float16)
for count, reward in enumerate(rewards, 1):
    target = reward + count / 20  # rewards grow
    mean += (target.to(mean.dtype) - mean) / count  # fault: state-in-half


def harm():
    right = (rewards.double() + torch.arange(1, 2501) / 20).mean().item()
    return abs(mean.item() / right - 1)

# right:
#- mean = torch.zeros((), dtype=torch.float16)
#+ mean = torch.zeros(())
