"""The timesteps of a sampler are counted in bfloat16 and cut to indices: many are others, and some come twice."""
import torch
from torch import nn

TRAINED = 1000


class Scheduler:
    def __init__(self, steps, dtype):
        betas = torch.linspace(1e-4, 0.02, TRAINED, dtype=torch.float64)
        self.alpha_bar = torch.cumprod(1 - betas, 0).float()
        self.timesteps = torch.linspace(TRAINED - 1, 0, steps, dtype=dtype)  # fault: rounding-of-integers

    def indices(self):
        return self.timesteps.long().clamp_max(TRAINED - 1)

    def step(self, noise, t, before, x):
        a, b = self.alpha_bar[t], self.alpha_bar[before]
        return b.sqrt() * (x - (1 - a).sqrt() * noise) / a.sqrt() + (1 - b).sqrt() * noise


class Denoiser(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.time = nn.Embedding(TRAINED, dim)
        self.net = nn.Linear(dim, dim)

    def forward(self, x, t):
        return self.net(x + self.time(t))


torch.manual_seed(0)
model, scheduler = Denoiser().eval(), Scheduler(250, torch.bfloat16)
x, used = torch.randn(4, 8), scheduler.indices()
with torch.no_grad():
    for t, before in zip(used[:40], used[1:41], strict=True):
        x = scheduler.step(model(x, t), t, before, x)


def harm():
    exact = torch.linspace(TRAINED - 1, 0, 250, dtype=torch.float64).long()
    return (scheduler.indices() != exact).float().mean().item()

# right:
#- model, scheduler = Denoiser().eval(), Scheduler(250, torch.bfloat16)
#+ model, scheduler = Denoiser().eval(), Scheduler(250, torch.float32)
