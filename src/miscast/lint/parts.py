"""Parts that several trainers have: quantized linear layers, 8-bit optimizer states, CLIP's text encoders.

quantized(row, "uint8", rest, by).parameters   bfloat16, uint8
eight_bit(setting).value                       float32, uint8
"""

from __future__ import annotations

from ..core.frozen import replace
from .prepared import Prepared
from .system import Setting
from .table import UNKNOWN, Cell, Component
from .view import View

_BLOCKWISE = 4096
"""bitsandbytes/optim/optimizer.py, 0.50.2, min_8bit_size: a state of fewer elements stays in float32."""
_HALF = ("float16", "bfloat16")


def quantized(row: Component, packed: str, rest: Cell, by: Setting | None) -> Component:
    """Return a row with weights packed in one dtype and the rest in another; the layers decide the compute dtype."""
    held = ", ".join(sorted({packed, rest.value}))
    weights = Cell(value=held, by=by, why="only the linear layers are quantized")
    return replace(
        row, parameters=weights, compute=UNKNOWN, outputs=UNKNOWN, buffers=UNKNOWN
    )


def eight_bit(by: Setting | None, fewest: int = 0) -> Cell:
    """Return the states of bitsandbytes' 8-bit optimizers; `fewest` is the size of the smallest parameter, if known."""
    if fewest >= _BLOCKWISE:
        return Cell(value="uint8", by=by, why="bitsandbytes")
    return Cell(
        value="float32, uint8", by=by, why="bitsandbytes: float32 below 4,096 elements"
    )


def stepped(view: View, key: str, held: Prepared) -> Prepared:
    """Return the states of optimizers that do not use the parameters' dtype; `key` names the optimizer."""
    setting, name = view.given(key), view.text(key)
    if name == "adafactor":
        why = "Transformers' Adafactor"
        return replace(held, states=Cell(value="float32", by=setting, why=why))
    if not held.plain or not any(kind in name for kind in ("8bit", "4bit", "fp8")):
        return held
    packed = Cell(value="unknown", by=setting, why="quantized, except small tensors")
    own = name.endswith("_8bit") and not name.startswith(("adamw_torch", "galore"))
    return replace(held, states=eight_bit(setting) if own else packed)


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
