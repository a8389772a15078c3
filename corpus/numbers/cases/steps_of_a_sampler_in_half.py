"""Sample from a diffusion model with a hundred and fifty steps picked from a thousand."""
import torch
from torch import nn

torch.manual_seed(0)
HALF = torch.bfloat16
beta = torch.linspace(1e-4, 0.02, 1000)
bar = torch.cumprod(1 - beta, 0)


class Noise(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.time = nn.Embedding(1000, 8)
        self.body = nn.Sequential(nn.Linear(10, width), nn.SiLU(), nn.Linear(width, 2))

    def forward(self, x, t):
        return self.body(torch.cat([x, self.time(t)], 1))


def timesteps(count):
    return torch.linspace(999, 0, count, dtype=HALF).round().long()  # fault: rounding-of-integers


def train(net, steps=60):
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    for _ in range(steps):
        x = torch.randn(128, 2) * 0.3 + 1
        t = torch.randint(0, 1000, (128,))
        noise = torch.randn_like(x)
        a = bar[t][:, None]
        loss = (net(a.sqrt() * x + (1 - a).sqrt() * noise, t) - noise).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def sample(net, times, count=256):
    x = torch.randn(count, 2)
    for now, then in zip(times[:-1], times[1:]):
        a, b = bar[now], bar[then]
        noise = net(x, now.expand(count))
        x = b.sqrt() * (x - (1 - a).sqrt() * noise) / a.sqrt() + (1 - b).sqrt() * noise
    return x


net = Noise()
train(net)
times = timesteps(600).clamp(max=999)
x = sample(net, times)


def harm():
    return 1 - times.unique().numel() / len(times)

# right:
#- HALF = torch.bfloat16
#+ HALF = torch.float32
