# machine: t4
"""Sample from a latent diffusion model in half precision, with classifier-free guidance."""

import torch
from diffusers import AutoencoderKL, DDIMScheduler, UNet2DConditionModel

device = "cuda" if torch.cuda.is_available() else "cpu"
dtype = torch.float16


def models():
    unet = UNet2DConditionModel(
        sample_size=8,
        block_out_channels=(8, 16),
        layers_per_block=1,
        norm_num_groups=4,
        down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
        cross_attention_dim=16,
        attention_head_dim=2,
    )
    vae = AutoencoderKL(
        block_out_channels=(8, 16),
        norm_num_groups=4,
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
    )
    return unet.to(device).half().eval(), vae.to(device).half().eval()


def embeddings(batch):
    generator = torch.Generator().manual_seed(11)
    prompt = torch.randn(batch, 6, 16, generator=generator)
    return torch.cat([torch.zeros_like(prompt), prompt]).to(device, dtype)


@torch.no_grad()
def sample(unet, scheduler, context, steps=3, guidance=5.0):
    scheduler.set_timesteps(steps, device=device)
    generator = torch.Generator(device=device).manual_seed(0)
    latents = torch.randn(2, 4, 8, 8, generator=generator, device=device, dtype=dtype)
    latents = latents * scheduler.init_noise_sigma
    mask = torch.ones(2, 1, 8, 8, device=device, dtype=dtype)
    mask[:, :, :4] = 0.5
    for t in scheduler.timesteps:
        doubled = scheduler.scale_model_input(torch.cat([latents] * 2), t)
        unconditional, conditional = unet(doubled, t, encoder_hidden_states=context).sample.chunk(2)
        noise = unconditional + guidance * mask * (conditional - unconditional)
        latents = scheduler.step(noise, t, latents, eta=0.5, generator=generator).prev_sample
    return latents


@torch.no_grad()
def decode(vae, latents):
    image = vae.decode(latents / vae.config.scaling_factor).sample
    image = (image / 2 + 0.5).clamp(0, 1)
    return (image.permute(0, 2, 3, 1).float().cpu().numpy() * 255).round().astype("uint8")


def main():
    torch.manual_seed(0)
    unet, vae = models()
    scheduler = DDIMScheduler(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear")
    latents = sample(unet, scheduler, embeddings(2))
    print(f"latents {latents.float().std().item():.2f}")
    print("images", decode(vae, latents).shape)


if __name__ == "__main__":
    main()
