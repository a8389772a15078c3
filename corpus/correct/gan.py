# machine: v100
"""A small GAN in float32."""

import torch
from torch import nn

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
LATENT = 12


def generator():
    return nn.Sequential(
        nn.ConvTranspose2d(LATENT, 16, 4), nn.BatchNorm2d(16), nn.ReLU(), nn.ConvTranspose2d(16, 3, 4, 2, 1), nn.Tanh()
    )


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 16, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(16, 16, 4))
        self.judge = nn.Linear(16, 1)

    def forward(self, x):
        return self.judge(self.features(x).flatten(1)).squeeze(1)


def gradient_penalty(critic, real, fake):
    alpha = torch.rand(real.shape[0], 1, 1, 1, device=real.device)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    score = critic(mixed)
    (grad,) = torch.autograd.grad(score, mixed, torch.ones_like(score), create_graph=True)
    return ((grad.flatten(1).norm(dim=1) - 1) ** 2).mean()


def noise(count):
    return torch.randn(count, LATENT, 1, 1, device=device)


def main():
    torch.manual_seed(4)
    G, D = generator().to(device), Discriminator().to(device)
    opt_g = torch.optim.Adam(G.parameters(), lr=2e-4, betas=(0.5, 0.999))
    opt_d = torch.optim.Adam(D.parameters(), lr=2e-4, betas=(0.5, 0.999))
    criterion = nn.BCEWithLogitsLoss()
    fixed = noise(2)
    for step in range(3):
        real = torch.rand(8, 3, 8, 8).mul(2).sub(1).to(device)
        real_label = torch.full((8,), 0.9, device=device)
        fake_label = torch.zeros(8, device=device)

        fake = G(noise(8))
        loss_d = criterion(D(real), real_label) + criterion(D(fake.detach()), fake_label)
        loss_d = loss_d + 0.1 * gradient_penalty(D, real, fake.detach())
        opt_d.zero_grad()
        loss_d.backward()
        opt_d.step()

        loss_g = criterion(D(fake), real_label)
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
        print(f"step {step}: D {loss_d.item():.4f}, G {loss_g.item():.4f}")
    with torch.no_grad():
        sample = G(fixed)
    print(f"sample mean {sample.mean().item():.4f}")


if __name__ == "__main__":
    main()
