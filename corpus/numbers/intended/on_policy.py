"""The ratio to a policy that is still the same, of which a copy or the very tensor is taken off: it is 1."""
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(16, 8)
for dtype in (torch.float32, torch.bfloat16):
    net = policy.to(dtype)
    states, actions = torch.randn(32, 16).to(dtype), torch.randint(0, 8, (32, 1))
    logp = net(states).float().log_softmax(-1).gather(1, actions).squeeze(1)
    ratio = torch.exp(logp - logp.detach())
    same = torch.exp(logp - logp)
    loss = -(ratio * torch.randn(32)).mean() + same.mean()
    loss.backward()
