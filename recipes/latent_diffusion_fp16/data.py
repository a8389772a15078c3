"""A folder of images with captions; some of them come with a mask of what is to be painted anew."""

import os

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset, Sampler

COLOURS = {"red": (220, 30, 30), "green": (30, 200, 60), "blue": (30, 60, 220)}


def write_images(folder, count, resolution, masks):
    """Discs of three colours, `000.png` with `000.txt`; masks: `000-mask.png` beside all, some (every other), or none."""
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(0)
    rows, columns = np.mgrid[:resolution, :resolution] / resolution
    for n in range(count):
        colour = list(COLOURS)[n % 3]
        y, x = rng.uniform(0.35, 0.65, 2)
        disc = (rows - y) ** 2 + (columns - x) ** 2 < 0.09
        pixels = np.full((resolution, resolution, 3), 235, np.uint8)
        pixels[disc] = COLOURS[colour]
        Image.fromarray(pixels).save(f"{folder}/{n:03}.png")
        with open(f"{folder}/{n:03}.txt", "w") as file:
            file.write(f"a {colour} disc")
        if masks == "all" or (masks == "some" and n % 2 == 0):
            Image.fromarray((disc * 255).astype(np.uint8)).save(f"{folder}/{n:03}-mask.png")


class InpaintingDataset(Dataset):
    """Images between -1 and 1, masks of zeros and ones, captions. An image without a mask is trained as a whole."""

    def __init__(self, folder, dtype, faults=()):
        self.names = sorted(name[:-4] for name in os.listdir(folder) if name.endswith(".txt"))
        self.folder = folder
        self.dtype = dtype
        self.faults = faults

    def __len__(self):
        return len(self.names)

    def load_image(self, name):
        pixels = np.array(Image.open(f"{self.folder}/{name}.png").convert("RGB"))
        return torch.from_numpy(pixels).permute(2, 0, 1).to(self.dtype) / 127.5 - 1

    def load_mask(self, name, size):
        file = f"{self.folder}/{name}-mask.png"
        if os.path.exists(file):
            pixels = np.array(Image.open(file).convert("L"))
            return torch.from_numpy(pixels)[None].to(self.dtype) / 255
        if "generated-mask" in self.faults:
            return torch.ones(1, *size)
        return torch.ones(1, *size, dtype=self.dtype)

    def __getitem__(self, index):
        name = self.names[index]
        image = self.load_image(name)
        with open(f"{self.folder}/{name}.txt") as file:
            caption = file.read()
        return {"image": image, "mask": self.load_mask(name, image.shape[-2:]), "caption": caption}


class StepSampler(Sampler):
    """The batches of steps start … stop, each drawn by its own seed, so that a run that resumes draws the same."""

    def __init__(self, length, batch_size, start, stop):
        self.length = length
        self.batch_size = batch_size
        self.steps = range(start, stop)

    def __len__(self):
        return len(self.steps)

    def __iter__(self):
        for step in self.steps:
            rng = np.random.default_rng(step)
            yield rng.permutation(self.length)[: self.batch_size].tolist()
