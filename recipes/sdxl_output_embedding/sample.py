"""Images of a caption with the new words: in training, or of a saved embedding.

    python recipes/sdxl_output_embedding/sample.py out/embedding.safetensors "a <disc-1> <disc-2>" sample.png
"""

import argparse
from contextlib import nullcontext

import torch
from diffusers import DDIMScheduler
from embedding import add_words, encode_text
from models import NOISE, decode, load_models
from PIL import Image

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32}
WORDS = ["<disc-1>", "<disc-2>"]


def predict_velocity(models, latent, timestep, hidden_state, pooled):
    size = models.resolution
    time_ids = torch.tensor([[size, size, 0, 0, size, size]], device=models.device, dtype=pooled.dtype)
    return models.unet(
        latent,
        timestep,
        encoder_hidden_states=hidden_state,
        added_cond_kwargs={"text_embeds": pooled, "time_ids": time_ids.expand(len(latent), -1)},
    ).sample


@torch.no_grad()
def sample(models, embedding, caption, steps):
    """One image between 0 and 1."""
    scheduler = DDIMScheduler(**NOISE, clip_sample=False, set_alpha_to_one=False, steps_offset=1)
    scheduler.set_timesteps(steps, device=models.device)
    hidden_state, pooled = encode_text(models, embedding, [caption])
    size = models.unet.config.sample_size
    latent = torch.randn(1, 4, size, size, device=models.device, dtype=models.dtype)
    for timestep in scheduler.timesteps:
        velocity = predict_velocity(models, latent, timestep, hidden_state, pooled)
        latent = scheduler.step(velocity, timestep, latent).prev_sample
    return decode(models, latent)


def save_image(image, file):
    pixels = (image[0].permute(1, 2, 0).float() * 255).round().to(torch.uint8)
    Image.fromarray(pixels.cpu().numpy()).save(file)


def cast_region(models, on):
    """Autocast in the dtype of the weights, or nothing."""
    return torch.autocast(models.device.type, dtype=models.dtype) if on else nullcontext()


def main():
    parser = argparse.ArgumentParser(description="Sample with a trained output embedding.")
    parser.add_argument("embedding")
    parser.add_argument("caption")
    parser.add_argument("image")
    parser.add_argument("--size", choices=("tiny", "real"), default="tiny")
    parser.add_argument("--dtype", choices=DTYPES, default="fp16")
    parser.add_argument("--autocast", action="store_true")
    parser.add_argument("--steps", type=int, default=4)
    args = parser.parse_args()

    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu")
    models = load_models(args.size, device, DTYPES[args.dtype])
    with cast_region(models, args.autocast):
        embedding = add_words(models, WORDS, "disc").to(device)
        embedding.load(args.embedding)
        torch.manual_seed(0)
        save_image(sample(models, embedding, args.caption, args.steps), args.image)


if __name__ == "__main__":
    main()
