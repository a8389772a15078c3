"""Token streams, packed, with rewards."""

import numpy as np
import torch


class Stream:
    def __init__(self, device, count, size=2, length=10):
        self.device = device
        self.count, self.size, self.length = count, size, length
        self.rng = np.random.default_rng(0)

    def __iter__(self):
        for _ in range(self.count):
            tokens = self.rng.integers(0, 50, (self.size, self.length))
            rewards = self.rng.normal(size=self.size)
            yield {
                "ids": torch.from_numpy(tokens).to(self.device),
                "rewards": torch.tensor(rewards, dtype=torch.float32, device=self.device),
                "mask": torch.from_numpy(tokens != 0).to(self.device),
            }
