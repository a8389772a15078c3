"""A hand-written Adam for a float16 policy adds eps 1e-8 to the root of its second moment, and divides 0 by 0."""
import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Linear(16, 4).half()
m = [torch.zeros_like(p) for p in policy.parameters()]
v = [torch.zeros_like(p) for p in policy.parameters()]
x = torch.rand(8, 16).half()
x[:, 5] = 0
loss = policy(x).float().square().mean()
loss.backward()
with torch.no_grad():
    for p, a, b in zip(policy.parameters(), m, v):
        a.mul_(0.9).add_(p.grad, alpha=0.1)
        b.mul_(0.999).addcmul_(p.grad, p.grad, value=0.001)
        p.sub_(1e-3 * a / (b.sqrt() + 1e-8))  # fault: eps-vanishes


def harm():
    return torch.cat([p.isnan().float().flatten() for p in policy.parameters()]).mean().item()

# right:
#-         p.sub_(1e-3 * a / (b.sqrt() + 1e-8))
#+         p.sub_(1e-3 * a / (b.sqrt() + 1e-4))
