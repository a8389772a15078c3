"""Importance weights of trajectories as a cumulative product of ratios in float16: after 40 steps some are infinite."""
import torch


def per_decision(ratios, rewards, gamma=0.99):
    weights = torch.cumprod(ratios, 1)  # fault: overflow
    discount = gamma ** torch.arange(rewards.shape[1])
    return (weights * rewards * discount).sum(1) / weights.sum(1)


torch.manual_seed(0)
behaviour = torch.randn(32, 60) * 0.4
target = behaviour + 0.25 + 0.1 * torch.randn(32, 60)
ratios = torch.exp(target - behaviour).half()
values = per_decision(ratios, torch.rand(32, 60))


def harm():
    return values.isnan().float().mean().item()

# right:
#- ratios = torch.exp(target - behaviour).half()
#+ ratios = torch.exp(target - behaviour)
