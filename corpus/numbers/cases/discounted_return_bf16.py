"""The discounted return of long episodes is summed backwards in the bfloat16 of the reward buffer: near the end sums stop growing."""
import torch
from torch import nn

torch.manual_seed(0)
steps, environments, gamma = 1000, 8, 0.995
rewards = (torch.rand(steps, environments) * 0.5 + 0.5).bfloat16()
critic = nn.Linear(4, 1).bfloat16()
states = torch.randn(steps, environments, 4).bfloat16()
running = torch.zeros(environments, dtype=rewards.dtype)
returns = []
for reward in rewards.flip(0):
    running = reward + gamma * running  # fault: accumulate-in-half
    returns.append(running)
returns = torch.stack(returns[::-1]).float()
values = critic(states).squeeze(-1).float()
loss = (values - returns).pow(2).mean()
loss.backward()


def harm():
    right = torch.zeros(environments, dtype=torch.float64)
    for reward in rewards.double().flip(0):
        right = reward + gamma * right
    return ((returns[0].double() - right).norm() / right.norm()).item()

# right:
#- running = torch.zeros(environments, dtype=rewards.dtype)
#+ running = torch.zeros(environments)
#-     running = reward + gamma * running
#+     running = reward.float() + gamma * running
