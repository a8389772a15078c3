"""Paint the masked part of images anew, and write images to disk."""

import torch
from diffusers import DDIMScheduler
from models import NOISE, decode
from PIL import Image
from torch import nn


def predict_noise(models, latent, mask, conditioning, timestep, hidden_state):
    unet_input = torch.cat([latent, mask, conditioning], dim=1)
    return models.unet(unet_input, timestep, encoder_hidden_states=hidden_state).sample


def erode(mask, faults=(), size=3):
    """A mask that is smaller by size // 2 latent pixels on all sides, so that the seam is painted over."""
    if "erosion-kernel" in faults:
        kernel = nn.Conv2d(1, 1, size, padding=size // 2, bias=False, device=mask.device)
    else:
        kernel = nn.Conv2d(1, 1, size, padding=size // 2, bias=False, device=mask.device, dtype=mask.dtype)
    kernel.requires_grad_(False)
    kernel.weight.fill_(1 / size**2)
    return (kernel(mask) > 0.99).to(mask.dtype)


@torch.no_grad()
def sample(models, batch, steps, faults=()):
    """Images of a prepared batch (see train.py), with what the mask hides made up."""
    scheduler = DDIMScheduler(**NOISE, clip_sample=False, set_alpha_to_one=False, steps_offset=1)
    scheduler.set_timesteps(steps, device=models.device)
    latent = torch.randn_like(batch["latent"]) * scheduler.init_noise_sigma
    painted = erode((batch["mask"] > 0.5).to(latent.dtype), faults)
    for timestep in scheduler.timesteps:
        noise = predict_noise(models, latent, batch["mask"], batch["conditioning"], timestep, batch["hidden_state"])
        latent = scheduler.step(noise, timestep, latent).prev_sample
    return decode(models, latent * painted + batch["latent"] * (1 - painted))


def predicted_latent(models, noisy, noise, timestep, faults=()):
    """The latent without its noise, as the model sees it in one step."""
    alphas = models.noise_scheduler.alphas_cumprod.to(models.device)
    alpha = alphas[timestep].view(-1, 1, 1, 1)
    latent = (noisy - (1 - alpha).sqrt() * noise) / alpha.sqrt()
    if "noise-schedule" in faults:
        return latent
    return latent.to(noisy.dtype)


def save_images(images, file, faults=()):
    """A batch of images between 0 and 1, side by side in one PNG."""
    row = torch.cat(list(images), dim=-1).permute(1, 2, 0)
    if "half-image" in faults:
        pixels = (row.cpu().numpy() * 255).round().astype("uint8")
    else:
        pixels = (row.float() * 255).round().to(torch.uint8).cpu().numpy()
    Image.fromarray(pixels).save(file)
