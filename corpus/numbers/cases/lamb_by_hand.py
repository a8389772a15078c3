"""LAMB by hand, trust ratio and all, takes its steps on bfloat16 weights that have no float32 master."""
import torch
from torch import nn


class Lamb:
    def __init__(self, params, lr=1e-4):
        self.params = list(params)
        self.lr, self.t = lr, 0
        self.m = [torch.zeros_like(p, dtype=torch.float32) for p in self.params]
        self.v = [torch.zeros_like(p, dtype=torch.float32) for p in self.params]

    @torch.no_grad()
    def step(self):
        self.t += 1
        for p, m, v in zip(self.params, self.m, self.v, strict=True):
            g = p.grad.float()
            m.lerp_(g, 0.1)
            v.lerp_(g.square(), 0.01)
            update = (m / (1 - 0.9**self.t)) / ((v / (1 - 0.99**self.t)).sqrt() + 1e-6)
            trust = p.float().norm() / update.norm()
            p.add_((-self.lr * trust * update).to(p.dtype))  # fault: half-parameters-without-master


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16)).to(torch.bfloat16)
first = net[0].weight.detach().clone()
lamb = Lamb(net.parameters())
for _ in range(15):
    x = torch.randn(32, 16, dtype=net[0].weight.dtype)
    loss = (net(x) - x.roll(1, 1)).float().square().mean()
    net.zero_grad()
    loss.backward()
    lamb.step()


def harm():
    return (net[0].weight == first).float().mean().item()

# right:
#- net = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16)).to(torch.bfloat16)
#+ net = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 16)).to(torch.float32)
