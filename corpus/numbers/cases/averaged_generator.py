"""The average of a generator is a bfloat16 copy with a decay of 0.999: what is added is below its last bit."""
import copy

import torch
from torch import nn
from torch.nn import functional as F


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 2))

    def forward(self, z):
        return self.net(z)


class Average:
    def __init__(self, model, decay):
        self.model, self.decay = copy.deepcopy(model).to(torch.bfloat16).requires_grad_(False), decay

    @torch.no_grad()
    def update(self, model):
        for slow, fast in zip(self.model.parameters(), model.parameters(), strict=True):
            slow.data = self.decay * slow.data + (1 - self.decay) * fast.data.to(slow.dtype)  # fault: state-in-half


torch.manual_seed(0)
generator = Generator()
judge = nn.Sequential(nn.Linear(2, 32), nn.ReLU(), nn.Linear(32, 1))
average = Average(generator, 0.999)
exact = [p.detach().double().clone() for p in average.model.parameters()]
start = [p.clone() for p in exact]
g_opt = torch.optim.Adam(generator.parameters(), lr=5e-3)
d_opt = torch.optim.Adam(judge.parameters(), lr=1e-3)
for step in range(60):
    real = torch.randn(32, 2) * 0.3 + torch.tensor([2.0, -1.0])
    fake = generator(torch.randn(32, 4))
    d_loss = F.softplus(judge(fake.detach())).mean() + F.softplus(-judge(real)).mean()
    d_opt.zero_grad()
    d_loss.backward()
    d_opt.step()
    g_loss = F.softplus(-judge(fake)).mean()
    g_opt.zero_grad()
    g_loss.backward()
    g_opt.step()
    average.update(generator)
    for one, p in zip(exact, generator.parameters(), strict=True):
        one.mul_(0.999).add_(p.detach().double(), alpha=0.001)


def harm():
    off = sum((p.double() - one).square().sum() for p, one in zip(average.model.parameters(), exact, strict=True))
    way = sum((one - first).square().sum() for one, first in zip(exact, start, strict=True))
    return (off / way).sqrt().item()

# right:
#-         self.model, self.decay = copy.deepcopy(model).to(torch.bfloat16).requires_grad_(False), decay
#+         self.model, self.decay = copy.deepcopy(model).requires_grad_(False), decay
