"""Teach the tiny UNet what red, green and blue mean, so that a new word can come to mean one of them.

    python recipes/sdxl_output_embedding/base.py out/base
"""

import argparse

import numpy as np
import torch
import torch.nn.functional as F
from data import COLOURS, as_tensor, disc
from embedding import run_encoders, tokenize
from models import encode_image, load_models
from sample import predict_noise


def main():
    parser = argparse.ArgumentParser(description="Train a tiny base model.")
    parser.add_argument("folder")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--batch-size", type=int, default=12)
    args = parser.parse_args()

    torch.manual_seed(0)
    models = load_models("tiny", torch.device("cpu"), torch.float32)
    models.unet.requires_grad_(True)
    optimizer = torch.optim.AdamW(models.unet.parameters(), lr=4e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
    rng = np.random.default_rng(1)
    # The pooled state is that of no colour: what the words mean is to be read from their hidden states.
    _, pooled = run_encoders(models, tokenize(models, ["a disc"]))
    for step in range(args.steps):
        colours = rng.choice(list(COLOURS), args.batch_size).tolist()
        images = [as_tensor(disc(COLOURS[colour], models.resolution, rng), models.dtype) for colour in colours]
        latent = encode_image(models, torch.stack(images))
        hidden_states, _ = run_encoders(models, tokenize(models, [f"a {colour} disc" for colour in colours]))
        noise = torch.randn_like(latent)
        timestep = torch.randint(0, 1000, (len(latent),))
        noisy = models.noise_scheduler.add_noise(latent, noise, timestep)
        hidden_state = torch.cat(hidden_states, dim=-1)
        prediction = predict_noise(models, noisy, timestep, hidden_state, pooled.expand(len(latent), -1))
        loss = F.mse_loss(prediction, noise)
        loss.backward()
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        print(f"step {step + 1}: loss {loss.item():.4f}")
    models.unet.save_pretrained(f"{args.folder}/unet")


if __name__ == "__main__":
    main()
