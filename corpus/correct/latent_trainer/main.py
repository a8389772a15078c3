# machine: v100
"""A trainer in several modules: images to latents to a UNet, float16 weights with float32 losses."""

import torch
from data import loader
from losses import diffusion_loss, regularizer
from models import LatentModel, encode

from config import Config


def main():
    torch.manual_seed(0)
    config = Config()
    model = LatentModel(config)
    optimizer = torch.optim.SGD(model.unet.parameters(), lr=1e-3)
    for step, batch in enumerate(loader(config)):
        latents = encode(model.vae, batch["image"].to(config.device, config.dtype))
        target, predicted, t = model.predict(latents, batch["context"].to(config.device, config.dtype))
        loss = diffusion_loss(predicted, target, t, batch["weight"].to(config.device))
        loss = loss + 1e-4 * regularizer(model.unet)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")


if __name__ == "__main__":
    main()
