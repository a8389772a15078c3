"""Files that programs of this folder read: a small checkpoint in each format, in float16, and an image."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `half.pt`, `full.pt`, `half.safetensors`, `image.npy`."""
    folder = tmp_path_factory.mktemp("files")
    torch.manual_seed(0)
    linear = torch.nn.Linear(8, 8)
    torch.save(linear.state_dict(), folder / "full.pt")
    half = {name: t.half() for name, t in linear.state_dict().items()}
    torch.save(half, folder / "half.pt")
    save_file(half, folder / "half.safetensors")
    np.save(folder / "image.npy", np.random.default_rng(0).integers(0, 255, (16, 16, 3), dtype=np.uint8))
    return folder
