"""A folder of images that all show what the new words are to mean."""

import os

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset, Sampler


COLOURS = {"red": (220, 30, 30), "green": (30, 200, 60), "blue": (30, 60, 220)}


def disc(colour, resolution, rng):
    """A disc somewhere near the middle, (height, width, 3) of uint8."""
    rows, columns = np.mgrid[:resolution, :resolution] / resolution
    y, x = rng.uniform(0.4, 0.6, 2)
    pixels = np.full((resolution, resolution, 3), 235, np.uint8)
    pixels[(rows - y) ** 2 + (columns - x) ** 2 < 0.12] = colour
    return pixels


def write_images(folder, count, resolution):
    """Red discs at several places."""
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(0)
    for n in range(count):
        Image.fromarray(disc(COLOURS["red"], resolution, rng)).save(f"{folder}/{n:03}.png")


def as_tensor(pixels, dtype):
    """Between -1 and 1, (3, height, width)."""
    return torch.from_numpy(pixels).permute(2, 0, 1).to(dtype) / 127.5 - 1


class ConceptDataset(Dataset):
    """Images, each with the same caption."""

    def __init__(self, folder, caption, dtype):
        self.files = sorted(f"{folder}/{name}" for name in os.listdir(folder) if name.endswith(".png"))
        self.caption = caption
        self.dtype = dtype

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        pixels = np.array(Image.open(self.files[index]).convert("RGB"))
        return {"image": as_tensor(pixels, self.dtype), "caption": self.caption}


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
