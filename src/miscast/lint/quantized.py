"""A frozen part whose linear layers are quantized, and whose other layers are not.

quantized(row, "uint8", rest, by).parameters   bfloat16, uint8
"""

from __future__ import annotations

from ..frozen import replace
from .system import Setting
from .table import UNKNOWN, Cell, Component


def quantized(row: Component, packed: str, rest: Cell, by: Setting | None) -> Component:
    """A row with weights packed in a dtype, the rest in another; what its layers compute in is theirs to decide."""
    held = ", ".join(sorted({packed, rest.value}))
    weights = Cell(value=held, by=by, why="only the linear layers are quantized")
    return replace(
        row, parameters=weights, compute=UNKNOWN, outputs=UNKNOWN, buffers=UNKNOWN
    )
