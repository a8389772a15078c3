# machine: v100
# real: cpu
import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Bernoulli, Categorical, MultivariateNormal, TransformedDistribution
from torch.distributions.transforms import TanhTransform

dev = "cuda" if torch.cuda.is_available() else "cpu"
actor, critic = nn.Linear(4, 2).to(dev), nn.Linear(4, 1).to(dev)
optimizer = torch.optim.Adam([*actor.parameters(), *critic.parameters()], 3e-4)
state, log_probs, rewards, values = torch.zeros(4, device=dev), [], [], []
for step in range(5):
    dist = Categorical(logits=actor(state))
    action = dist.sample()
    log_probs.append(dist.log_prob(action))
    values.append(critic(state))
    reward = 1.0 if action.item() == 1 else 0.5
    rewards.append(reward)
    state = state + torch.tensor([0.1, -0.1, 0.2, reward], device=dev)
returns, R = [], 0.0
for r in reversed(rewards):
    R = r + 0.99 * R
    returns.insert(0, R)
returns = torch.tensor(returns, device=dev)
returns = (returns - returns.mean()) / (returns.std() + 1e-8)
values = torch.cat(values)
advantage = returns - values.detach()
loss = -(torch.stack(log_probs) * advantage).mean() + F.smooth_l1_loss(values, returns) - 0.01 * dist.entropy()
loss.backward()
optimizer.step()
MultivariateNormal(torch.zeros(2, device=dev), torch.eye(2, device=dev)).log_prob(torch.ones(2, device=dev))
Bernoulli(torch.tensor(0.3, device=dev)).sample((3,))
