"""A frozen component with quantized linear layers.

quantized(row, "uint8", rest, by).parameters   bfloat16, uint8
"""

from __future__ import annotations

from ..frozen import replace
from .system import Setting
from .table import UNKNOWN, Cell, Component


def quantized(row: Component, packed: str, rest: Cell, by: Setting | None) -> Component:
    """Return a row with weights packed in one dtype and the rest in another; the layers decide the compute dtype."""
    held = ", ".join(sorted({packed, rest.value}))
    weights = Cell(value=held, by=by, why="only the linear layers are quantized")
    return replace(
        row, parameters=weights, compute=UNKNOWN, outputs=UNKNOWN, buffers=UNKNOWN
    )
