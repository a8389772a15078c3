"""A folder of images with captions, encoded once before training: latents and embeddings are what is trained on."""

import os

import numpy as np
import torch
from models import encode_image, encode_text
from PIL import Image
from torch.utils.data import Dataset, Sampler

COLOURS = {"red": (220, 30, 30), "green": (30, 200, 60), "blue": (30, 60, 220)}


def write_images(folder, count, resolution):
    """Discs of three colours, `000.png` with `000.txt`."""
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(0)
    rows, columns = np.mgrid[:resolution, :resolution] / resolution
    for n in range(count):
        colour = list(COLOURS)[n % 3]
        y, x = rng.uniform(0.4, 0.6, 2)
        pixels = np.full((resolution, resolution, 3), 235, np.uint8)
        pixels[(rows - y) ** 2 + (columns - x) ** 2 < 0.09] = COLOURS[colour]
        Image.fromarray(pixels).save(f"{folder}/{n:03}.png")
        with open(f"{folder}/{n:03}.txt", "w") as file:
            file.write(f"a {colour} disc")


class CachedDataset(Dataset):
    """Latents, hidden states and pooled embeddings of a folder's images and captions, on the CPU."""

    def __init__(self, models, folder, faults=()):
        self.examples = []
        for name in sorted(name[:-4] for name in os.listdir(folder) if name.endswith(".txt")):
            pixels = np.array(Image.open(f"{folder}/{name}.png").convert("RGB"))
            image = torch.from_numpy(pixels).permute(2, 0, 1)[None].to(models.device, models.dtype) / 127.5 - 1
            latent = encode_image(models, image)
            if "fp16-vae" not in faults:
                latent = latent.to(models.dtype)
            with open(f"{folder}/{name}.txt") as file:
                hidden_state, pooled = encode_text(models, [file.read()])
            self.examples.append(
                {"latent": latent[0].cpu(), "hidden_state": hidden_state[0].cpu(), "pooled": pooled[0].cpu()}
            )

    def __len__(self):
        return len(self.examples)

    def __getitem__(self, index):
        return self.examples[index]


class StepSampler(Sampler):
    """The batches of steps start … stop, each drawn by its own seed, so that a run that resumes draws the same.

    Of several processes each takes its own part of a batch.
    """

    def __init__(self, length, batch_size, start, stop, rank=0, world=1):
        self.length = length
        self.batch_size = batch_size
        self.steps = range(start, stop)
        self.rank = rank
        self.world = world

    def __len__(self):
        return len(self.steps)

    def __iter__(self):
        for step in self.steps:
            drawn = np.random.default_rng(step).integers(0, self.length, self.batch_size * self.world)
            yield drawn[self.rank :: self.world].tolist()
