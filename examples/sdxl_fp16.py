"""Fine-tune SDXL for inpainting with everything in float16: train, preview the prediction, sample.

    miscast check --machine v100-32 examples/sdxl_fp16.py

The program has the mistakes of a bug report (OneTrainer issue 402). On a GPU, it fails at the first image without a
mask: `mat1 and mat2 must have the same dtype, but got Float and Half`. Once that is fixed, it fails in the preview, and
then in the sampler. One run of Miscast reports all three mistakes.

Models have the sizes of stabilityai/stable-diffusion-xl-base-1.0 (its UNet with the nine input channels of an
inpainting model) and random weights; images and text embeddings are random too. Nothing is downloaded.
"""

import argparse
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL, DDIMScheduler, DDPMScheduler, UNet2DConditionModel
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset

UNET = {
    "sample_size": 128,
    "in_channels": 9,  # latent, mask, latent of the masked image
    "out_channels": 4,
    "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
    "up_block_types": ("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
    "block_out_channels": (320, 640, 1280),
    "transformer_layers_per_block": (1, 2, 10),
    "attention_head_dim": (5, 10, 20),
    "cross_attention_dim": 2048,
    "use_linear_projection": True,
    "addition_embed_type": "text_time",
    "addition_time_embed_dim": 256,
    "projection_class_embeddings_input_dim": 2816,
}
VAE = {
    "down_block_types": ("DownEncoderBlock2D",) * 4,
    "up_block_types": ("UpDecoderBlock2D",) * 4,
    "block_out_channels": (128, 256, 512, 512),
    "layers_per_block": 2,
    "latent_channels": 4,
    "sample_size": 1024,
    "scaling_factor": 0.13025,
}
NOISE = {"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear"}


@dataclass
class Models:
    unet: UNet2DConditionModel
    vae: AutoencoderKL
    noise_scheduler: DDPMScheduler
    device: torch.device
    dtype: torch.dtype


class InpaintingDataset(Dataset):
    """Images and cached text embeddings. Some images have a mask; the others are trained as a whole."""

    def __init__(self, resolution, dtype, length=4):
        self.resolution = resolution
        self.dtype = dtype
        self.length = length
        self.rng = np.random.default_rng(0)

    def __len__(self):
        return self.length

    def load_image(self, index):
        pixels = self.rng.integers(0, 256, (self.resolution, self.resolution, 3), dtype=np.uint8)
        return torch.from_numpy(pixels).permute(2, 0, 1).to(self.dtype) / 127.5 - 1

    def load_mask(self, index):
        if index % 2 == 0:
            pixels = np.zeros((self.resolution, self.resolution), dtype=np.uint8)
            pixels[256:768, 256:768] = 255
            return torch.from_numpy(pixels)[None].to(self.dtype) / 255
        return torch.ones(1, self.resolution, self.resolution)

    def __getitem__(self, index):
        size = self.resolution
        return {
            "image": self.load_image(index),
            "mask": self.load_mask(index),
            "prompt_embeds": torch.randn(77, 2048, dtype=self.dtype),
            "pooled_embeds": torch.randn(1280, dtype=self.dtype),
            "time_ids": torch.tensor([size, size, 0, 0, size, size], dtype=self.dtype),
        }


def load_models(device, dtype):
    unet = UNet2DConditionModel(**UNET)
    unet.enable_gradient_checkpointing()
    unet.to(device).half()
    vae = AutoencoderKL(**VAE)
    vae.requires_grad_(False)
    vae.to(device).half()
    return Models(unet, vae, DDPMScheduler(**NOISE), device, dtype)


@torch.no_grad()
def encode(models, image):
    return models.vae.encode(image).latent_dist.sample() * models.vae.config.scaling_factor


@torch.no_grad()
def decode(models, latent):
    image = models.vae.decode(latent / models.vae.config.scaling_factor).sample
    return (image / 2 + 0.5).clamp(0, 1)


def prepare(models, batch):
    """Move the batch to the GPU, encode the images, and resize the mask to the latents."""
    batch = {name: value.to(models.device) for name, value in batch.items()}
    image, mask = batch["image"], batch["mask"]
    batch["latent"] = encode(models, image)
    batch["conditioning"] = encode(models, image.masked_fill(mask > 0.5, 0))
    batch["latent_mask"] = F.interpolate(mask, size=batch["latent"].shape[-2:])
    return batch


def predict_noise(models, latent, mask, timestep, batch):
    unet_input = torch.cat([latent, mask, batch["conditioning"]], dim=1)
    return models.unet(
        unet_input,
        timestep,
        encoder_hidden_states=batch["prompt_embeds"],
        added_cond_kwargs={"text_embeds": batch["pooled_embeds"], "time_ids": batch["time_ids"]},
    ).sample


def predicted_latent(models, noisy, noise, timestep):
    alphas = models.noise_scheduler.alphas_cumprod.to(models.device)
    alpha = alphas[timestep].view(-1, 1, 1, 1)
    return (noisy - (1 - alpha).sqrt() * noise) / alpha.sqrt()


def train_step(models, optimizer, batch):
    """Run one training step. Return the loss and the predicted latent."""
    latent, mask = batch["latent"], batch["latent_mask"]
    noise = torch.randn_like(latent)
    steps = models.noise_scheduler.config.num_train_timesteps
    timestep = torch.randint(0, steps, (latent.shape[0],), device=models.device)
    noisy = models.noise_scheduler.add_noise(latent, noise, timestep)

    prediction = predict_noise(models, noisy, mask, timestep, batch)
    loss = F.mse_loss(prediction.float(), noise.float(), reduction="none")
    loss = (loss * mask.float()).mean()
    loss.backward()
    nn.utils.clip_grad_norm_(models.unet.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)

    return loss.item(), predicted_latent(models, noisy, prediction.detach(), timestep)


def erode(mask, size=5):
    """Shrink the mask by size // 2 latent pixels on each side, so that the seam is painted over."""
    kernel = nn.Conv2d(1, 1, size, padding=size // 2, bias=False, device=mask.device)
    kernel.requires_grad_(False)
    kernel.weight.fill_(1 / size**2)
    return (kernel(mask) > 0.99).to(mask.dtype)


@torch.no_grad()
def sample(models, batch, steps):
    """Inpaint the masked part of the images of a batch."""
    scheduler = DDIMScheduler(**NOISE, clip_sample=False, set_alpha_to_one=False, steps_offset=1)
    scheduler.set_timesteps(steps, device=models.device)
    mask = erode(batch["latent_mask"])
    latent = torch.randn_like(batch["latent"]) * scheduler.init_noise_sigma
    for timestep in scheduler.timesteps:
        noise = predict_noise(models, latent, mask, timestep, batch)
        latent = scheduler.step(noise, timestep, latent).prev_sample
    return decode(models, latent * mask + batch["latent"] * (1 - mask))


def to_pil(image):
    pixels = (image[0] * 255).round().to(torch.uint8).permute(1, 2, 0)
    return Image.fromarray(pixels.cpu().numpy())


def main():
    parser = argparse.ArgumentParser(description="Fine-tune SDXL for inpainting.")
    parser.add_argument("--resolution", type=int, default=1024)
    parser.add_argument("--learning-rate", type=float, default=1e-5)
    parser.add_argument("--sampling-steps", type=int, default=2)
    parser.add_argument("--preview-every", type=int, default=2, help="steps between two previews")
    parser.add_argument("--output", help="folder for previews and samples")
    args = parser.parse_args()

    torch.manual_seed(0)
    models = load_models(torch.device("cuda"), torch.float16)
    optimizer = torch.optim.AdamW(models.unet.parameters(), lr=args.learning_rate, eps=1e-6)
    dataset = InpaintingDataset(args.resolution, models.dtype)

    models.unet.train()
    for step, batch in enumerate(DataLoader(dataset, batch_size=1), start=1):
        loss, predicted = train_step(models, optimizer, prepare(models, batch))
        print(f"step {step}: loss {loss:.4f}")
        if step % args.preview_every == 0:
            preview = decode(models, predicted)
            if args.output:
                to_pil(preview).save(f"{args.output}/preview-{step}.png")

    models.unet.eval()
    batch = prepare(models, next(iter(DataLoader(dataset, batch_size=1))))
    image = sample(models, batch, args.sampling_steps)
    if args.output:
        to_pil(image).save(f"{args.output}/sample.png")


if __name__ == "__main__":
    main()
