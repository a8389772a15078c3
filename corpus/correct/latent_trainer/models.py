"""The autoencoder and the UNet."""

import torch
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DConditionModel


def make_vae():
    return AutoencoderKL(
        block_out_channels=(8, 16),
        norm_num_groups=4,
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
    )


def make_unet():
    return UNet2DConditionModel(
        sample_size=8,
        block_out_channels=(8, 16),
        layers_per_block=1,
        norm_num_groups=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=16,
        attention_head_dim=2,
    )


@torch.no_grad()
def encode(vae, images):
    return vae.encode(images).latent_dist.sample() * vae.config.scaling_factor


class LatentModel:
    def __init__(self, config):
        self.config = config
        self.vae = make_vae().requires_grad_(False).to(config.device).to(config.dtype)
        self.unet = make_unet().to(config.device).to(config.dtype)
        self.scheduler = DDPMScheduler(num_train_timesteps=config.timesteps)

    def predict(self, latents, context):
        noise = torch.randn(latents.shape, device=latents.device, dtype=latents.dtype)
        t = torch.randint(0, self.config.timesteps, (len(latents),), device=latents.device)
        noisy = self.scheduler.add_noise(latents, noise, t)
        return noise, self.unet(noisy, t, context).sample, t
