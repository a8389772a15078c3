# machine: a100
"""A VAE with bfloat16 weights; its losses are in float32."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass
class Config:
    pixels: int = 64
    hidden: int = 32
    latent: int = 6
    dtype: torch.dtype = torch.bfloat16
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


class VAE(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(config.pixels, config.hidden), nn.SiLU())
        self.moments = nn.Linear(config.hidden, 2 * config.latent)
        self.decoder = nn.Sequential(
            nn.Linear(config.latent, config.hidden), nn.SiLU(), nn.Linear(config.hidden, config.pixels)
        )

    def encode(self, x: Tensor) -> tuple[Tensor, Tensor]:
        mean, logvar = self.moments(self.encoder(x)).chunk(2, dim=-1)
        return mean, logvar.clamp(-6, 2)

    def forward(self, x: Tensor):
        mean, logvar = self.encode(x)
        eps = torch.randn(mean.shape, device=mean.device, dtype=mean.dtype)
        z = mean + eps * torch.exp(0.5 * logvar)
        return self.decoder(z), mean, logvar


def elbo(reconstruction, x, mean, logvar, beta):
    bce = F.binary_cross_entropy_with_logits(reconstruction.float(), x.float(), reduction="none").sum(-1)
    kl = -0.5 * (1 + logvar.float() - mean.float().pow(2) - logvar.float().exp()).sum(-1)
    return (bce + beta * kl).mean()


def batches(config: Config, count: int):
    pattern = torch.arange(config.pixels).remainder(7).div(6.0)
    for _ in range(count):
        noise = torch.rand(8, config.pixels)
        yield (0.8 * pattern + 0.2 * noise).to(device=config.device, dtype=config.dtype)


def main():
    torch.manual_seed(0)
    config = Config()
    model = VAE(config).to(config.device, config.dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    schedule = torch.linspace(0.1, 1.0, 3).tolist()
    for step, x in enumerate(batches(config, 3)):
        reconstruction, mean, logvar = model(x)
        loss = elbo(reconstruction, x, mean, logvar, schedule[step])
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.3f}")
    z = torch.zeros(2, config.latent, dtype=config.dtype, device=config.device)
    print(f"decoded {torch.sigmoid(model.decoder(z).float()).mean().item():.4f}")


if __name__ == "__main__":
    main()
