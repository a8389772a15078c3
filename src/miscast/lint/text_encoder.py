"""CLIP's text encoders: their attention kernel, and their last layer norm.

normed(row).outputs   float32: under autocast, a layer norm is computed in float32
"""

from __future__ import annotations

from ..frozen import replace
from .table import Cell, Component

_HALF = ("float16", "bfloat16")


def clip(row: Component) -> Component:
    """Return the row of a CLIP text model, with Transformers' default attention for it."""
    return replace(
        row, attention=Cell(value="sdpa", why="Transformers' default for CLIP")
    )


def normed(row: Component) -> Component:
    """Return the row of a CLIP text model without a projection, whose output is that of a layer norm."""
    if row.autocast.value not in _HALF:
        return clip(row)
    raised = Cell(
        value="float32", by=row.autocast.by, why="the last layer norm, under autocast"
    )
    return replace(clip(row), outputs=raised)
