"""The dtype of an optimizer's states, if it differs from the weights'.

eight_bit(setting).value              float32, uint8
eight_bit(setting, fewest=8192).value   uint8
"""

from __future__ import annotations

from .system import Setting
from .table import Cell

_BLOCKWISE = 4096
"""bitsandbytes/optim/optimizer.py, 0.50.2, min_8bit_size: a state of fewer elements stays in float32."""


def eight_bit(by: Setting | None, fewest: int = 0) -> Cell:
    """Return the states of bitsandbytes' 8-bit optimizers; `fewest` is the size of the smallest parameter, if known."""
    if fewest >= _BLOCKWISE:
        return Cell(value="uint8", by=by, why="bitsandbytes")
    return Cell(
        value="float32, uint8", by=by, why="bitsandbytes: float32 below 4,096 elements"
    )
