# machine: v100
"""Fine-tune a latent diffusion UNet: frozen half-precision VAE and text encoder, float32 UNet under autocast."""

import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL, DDPMScheduler, UNet2DConditionModel
from transformers import CLIPTextConfig, CLIPTextModel

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
weight_dtype = torch.float16


def load_models():
    vae = AutoencoderKL(
        block_out_channels=(8, 16),
        norm_num_groups=4,
        down_block_types=("DownEncoderBlock2D",) * 2,
        up_block_types=("UpDecoderBlock2D",) * 2,
        latent_channels=4,
    )
    text = CLIPTextModel(
        CLIPTextConfig(
            vocab_size=50, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
            max_position_embeddings=16, bos_token_id=0, eos_token_id=49, pad_token_id=1,
        )
    )
    unet = UNet2DConditionModel(
        sample_size=8,
        block_out_channels=(8, 16),
        layers_per_block=1,
        norm_num_groups=4,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=16,
        attention_head_dim=2,
    )
    vae.requires_grad_(False)
    text.requires_grad_(False)
    vae.to(device, dtype=weight_dtype)
    text.to(device, dtype=weight_dtype)
    unet.to(device)
    return vae, text, unet


def snr_weights(scheduler, timesteps, gamma=5.0):
    alphas = scheduler.alphas_cumprod.to(device)[timesteps]
    snr = alphas / (1 - alphas)
    return torch.minimum(snr, gamma * torch.ones_like(snr)) / snr


def training_step(vae, text, unet, scheduler, batch):
    latents = vae.encode(batch["pixel_values"].to(device, weight_dtype)).latent_dist.sample()
    latents = latents * vae.config.scaling_factor
    noise = torch.randn_like(latents)
    timesteps = torch.randint(0, scheduler.config.num_train_timesteps, (len(latents),), device=device)
    noisy = scheduler.add_noise(latents, noise, timesteps)
    context = text(batch["input_ids"].to(device))[0]
    predicted = unet(noisy, timesteps, context).sample
    loss = F.mse_loss(predicted.float(), noise.float(), reduction="none").mean(dim=(1, 2, 3))
    return (loss * snr_weights(scheduler, timesteps)).mean()


def main():
    torch.manual_seed(0)
    vae, text, unet = load_models()
    scheduler = DDPMScheduler()
    optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-4)
    scaler = torch.amp.GradScaler(device.type)
    for step in range(2):
        batch = {"pixel_values": torch.rand(2, 3, 16, 16) * 2 - 1, "input_ids": torch.randint(2, 49, (2, 6))}
        with torch.autocast(device.type, dtype=torch.float16):
            loss = training_step(vae, text, unet, scheduler, batch)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(unet.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        print(f"step {step}: loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
