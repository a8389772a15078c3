"""The noise levels of a sampler are made in the model's bfloat16: of 400 steps many lead from a level to the same level."""
import torch
from torch import nn
from torch.nn import functional as F


class Denoiser(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(9, width), nn.SiLU(), nn.Linear(width, 8))

    def forward(self, x, sigma):
        level = sigma.expand(len(x), 1).to(x.dtype)
        return self.net(torch.cat([x, level], dim=1))


class Levels:
    def __init__(self, steps, dtype):
        ramp = torch.linspace(1.0, 0.01, steps, dtype=torch.float32)
        self.sigmas = ramp.to(dtype)

    def __iter__(self):
        return zip(self.sigmas[:-1], self.sigmas[1:], strict=True)


torch.manual_seed(0)
model = Denoiser()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
for step in range(15):
    clean = torch.randn(64, 8) * 0.5
    sigma = torch.rand(64, 1)
    noise = torch.randn_like(clean)
    loss = F.mse_loss(model.net(torch.cat([clean + sigma * noise, sigma], dim=1)), noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

model = model.eval().bfloat16()
levels = Levels(400, torch.bfloat16)
x = torch.randn(4, 8)
idle = 0
with torch.no_grad():
    for now, after in levels:
        step = (after - now).float()  # fault: cancellation
        idle += int(step == 0)
        x = x + model(x.bfloat16(), now).float() * step


def harm():
    return idle / 399

# right:
#- levels = Levels(400, torch.bfloat16)
#+ levels = Levels(400, torch.float32)
