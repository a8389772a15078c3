"""Lookahead keeps its slow weights in bfloat16 to save memory: a tenth of a small way is less than their last bit."""
import torch
from torch import nn


class Lookahead:
    def __init__(self, inner, k=5, alpha=0.1):
        self.inner, self.k, self.alpha, self.t = inner, k, alpha, 0
        self.params = [p for group in inner.param_groups for p in group["params"]]
        self.slow = [p.detach().clone().to(torch.bfloat16) for p in self.params]

    @torch.no_grad()
    def step(self):
        self.inner.step()
        self.t += 1
        if self.t % self.k == 0:
            for slow, p in zip(self.slow, self.params, strict=True):
                slow.add_(self.alpha * (p - slow))  # fault: state-in-half
                p.copy_(slow)


torch.manual_seed(0)
net = nn.Linear(16, 16)
nn.init.uniform_(net.weight, 0.5, 1.0)
first = net.weight.detach().clone()
optimizer = Lookahead(torch.optim.Adam(net.parameters(), lr=1e-3))
for _ in range(60):
    x = torch.randn(32, 16)
    loss = net(x).square().mean()
    net.zero_grad()
    loss.backward()
    optimizer.step()


def harm():
    moved = (first - net.weight.detach()).mean().item()
    return max(0.0, 1 - moved / 0.004)

# right:
#-         self.slow = [p.detach().clone().to(torch.bfloat16) for p in self.params]
#+         self.slow = [p.detach().clone() for p in self.params]
