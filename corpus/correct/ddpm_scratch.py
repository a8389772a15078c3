# machine: v100
"""Diffusion from scratch: train in float32, sample in half precision."""

import math

import torch
import torch.nn as nn


def timestep_embedding(t, width):
    half = width // 2
    freqs = torch.exp(-math.log(10000) * torch.arange(half, device=t.device, dtype=torch.float32) / half)
    angles = t.float()[:, None] * freqs[None]
    return torch.cat([angles.cos(), angles.sin()], dim=-1)


class Denoiser(nn.Module):
    def __init__(self, channels=3, width=32):
        super().__init__()
        self.width = width
        self.time = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))
        self.inp = nn.Conv2d(channels, width, 3, padding=1)
        self.mid = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.GroupNorm(8, width)
        self.out = nn.Conv2d(width, channels, 3, padding=1)

    def forward(self, x, t):
        emb = timestep_embedding(t, self.width).to(x.dtype)
        h = self.inp(x) + self.time(emb)[:, :, None, None]
        return self.out(nn.functional.silu(self.norm(self.mid(h))))


class Diffusion:
    def __init__(self, steps, device):
        self.steps = steps
        self.device = device
        self.betas = torch.linspace(1e-4, 0.02, steps, device=device)
        self.alphas = 1.0 - self.betas
        self.cumulative = torch.cumprod(self.alphas, dim=0)

    def q_sample(self, x0, t, noise):
        a = self.cumulative[t].view(-1, 1, 1, 1)
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    @torch.no_grad()
    def sample(self, model, shape, dtype):
        x = torch.randn(shape, device=self.device, dtype=dtype)
        for i in reversed(range(self.steps)):
            t = torch.full((shape[0],), i, device=self.device, dtype=torch.long)
            eps = model(x, t)
            a, c, b = self.alphas[i], self.cumulative[i], self.betas[i]
            mean = (x.float() - (1 - a) / (1 - c).sqrt() * eps.float()) / a.sqrt()
            noise = torch.randn(shape, device=self.device, dtype=torch.float32)
            x = (mean + b.sqrt() * noise if i > 0 else mean).to(dtype)
        return x.clamp(-1, 1)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Denoiser().to(device)
    diffusion = Diffusion(10, device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(3):
        x0 = torch.rand(4, 3, 8, 8, device=device) * 2 - 1
        t = torch.randint(0, diffusion.steps, (4,), device=device)
        noise = torch.randn_like(x0)
        predicted = model(diffusion.q_sample(x0, t, noise), t)
        loss = (predicted - noise).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")
    model = model.half().eval()
    images = diffusion.sample(model, (2, 3, 8, 8), torch.float16)
    print(f"sampled {images.float().abs().mean().item():.2f}")


if __name__ == "__main__":
    main()
