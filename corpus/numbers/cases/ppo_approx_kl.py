"""The KL estimate (ratio - 1) - log ratio in float32 for a small policy step."""
import torch
from torch import nn
import torch.nn.functional as F


def log_prob(policy, obs, action):
    return F.log_softmax(policy(obs), dim=-1).gather(1, action).squeeze(1)


torch.manual_seed(0)
policy = nn.Linear(8, 4)
obs = torch.randn(512, 8)
with torch.no_grad():
    action = torch.multinomial(policy(obs).softmax(-1), 1)
    old = log_prob(policy, obs, action)

optimizer = torch.optim.SGD(policy.parameters(), lr=1e-3)
advantage = torch.randn(512)
loss = -(torch.exp(log_prob(policy, obs, action) - old) * advantage).mean()
loss.backward()
optimizer.step()

with torch.no_grad():
    log_ratio = log_prob(policy, obs, action) - old
    approx_kl = ((log_ratio.exp() - 1) - log_ratio).mean()  # fault: cancellation


def harm():
    exact = log_ratio.double()
    right = (exact.square() / 2 + exact ** 3 / 6 + exact ** 4 / 24).mean().item()
    found = approx_kl.item()
    return float(abs(found - right) / right)

# right:
#-     log_ratio = log_prob(policy, obs, action) - old
#-     approx_kl = ((log_ratio.exp() - 1) - log_ratio).mean()
#+     log_ratio = (log_prob(policy, obs, action) - old).double()
#+     approx_kl = (torch.expm1(log_ratio) - log_ratio).mean()
