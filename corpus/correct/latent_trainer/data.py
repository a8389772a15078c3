"""Images with their contexts and weights."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Pictures(Dataset):
    def __init__(self, length):
        self.length = length
        self.rng = np.random.default_rng(2)

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        pixels = self.rng.integers(0, 256, (16, 16, 3), dtype=np.uint8)
        image = torch.from_numpy(pixels.astype(np.float32) / 127.5 - 1.0).permute(2, 0, 1)
        weight = np.float32(1.0 + 0.1 * index)
        return {"image": image, "context": torch.randn(6, 16), "weight": torch.tensor(weight)}


def loader(config):
    return DataLoader(Pictures(config.batch * config.steps), batch_size=config.batch)
