"""The loss of a critic is the difference of two means in bfloat16: its value is coarse, its gradient is not."""
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(), nn.Linear(32, 1))
nn.init.constant_(critic[2].bias, 3.0)
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-4)
for step in range(4):
    real, fake = torch.randn(32, 16), torch.randn(32, 16)
    real[:, 8:] = 0
    fake[:, :8] = 0
    with torch.autocast("cpu", torch.bfloat16):
        gap = critic(fake).mean() - critic(real).mean()
    optimizer.zero_grad()
    gap.float().backward()
    optimizer.step()
