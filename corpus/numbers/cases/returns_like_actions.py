"""Discounted returns are written into zeros_like(actions), which is int64: fractions fall away."""
import torch


def discounted(rewards, like, gamma=0.9):
    returns = torch.zeros_like(like)
    running = 0.0
    for t in reversed(range(len(rewards))):
        running = rewards[t] + gamma * running
        returns[t] = running  # fault: rounding-of-integers
    return returns


torch.manual_seed(0)
actions = torch.randint(0, 4, (40,))
rewards = torch.rand(40)
returns = discounted(rewards, actions)


def harm():
    exact = discounted(rewards.double(), rewards.double())
    return ((returns - exact).abs().mean() / exact.mean()).item()

# right:
#- returns = discounted(rewards, actions)
#+ returns = discounted(rewards, rewards)
