# machine: a100
"""Fine-tune the decoder of an AutoencoderKL in bfloat16 against a patch discriminator."""

import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL
from torch import nn


def edges(images):
    kernel = torch.tensor([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]], device=images.device, dtype=images.dtype)
    return F.conv2d(images, kernel.expand(3, 1, 3, 3), padding=1, groups=3)


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(3, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(8, 1, 3, 1, 1))

    def forward(self, x):
        return self.net(x)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    dtype = torch.bfloat16
    vae = AutoencoderKL(
        block_out_channels=(8, 16),
        norm_num_groups=4,
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
    ).to(device=device, dtype=dtype)
    vae.encoder.requires_grad_(False)
    critic = Patches().to(device)
    opt_vae = torch.optim.AdamW(vae.decoder.parameters(), lr=1e-4)
    opt_critic = torch.optim.AdamW(critic.parameters(), lr=1e-4)
    for step in range(2):
        pixels = (torch.rand(2, 3, 16, 16) * 2 - 1).to(device, dtype=dtype)
        with torch.no_grad():
            latents = vae.encode(pixels).latent_dist.mode()
        image = vae.decode(latents).sample
        loss = F.l1_loss(image.float(), pixels.float()) + 0.1 * F.mse_loss(edges(image), edges(pixels)).float()
        loss = loss - 0.05 * critic(image.float()).mean()
        opt_vae.zero_grad()
        loss.backward()
        opt_vae.step()

        real, fake = critic(pixels.float()), critic(image.detach().float())
        critic_loss = F.relu(1 - real).mean() + F.relu(1 + fake).mean()
        opt_critic.zero_grad()
        critic_loss.backward()
        opt_critic.step()
        print(f"step {step}: {loss.item():.3f} {critic_loss.item():.3f}")


if __name__ == "__main__":
    main()
