"""What the trainer's parts share."""

from dataclasses import dataclass, field

import torch


@dataclass
class Config:
    device: torch.device = field(default_factory=lambda: torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    dtype: torch.dtype = torch.float16
    batch: int = 2
    steps: int = 2
    timesteps: int = 1000
