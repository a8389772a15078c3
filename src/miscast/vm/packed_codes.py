"""Four-bit codes of bitsandbytes, packed into a storage dtype: a cast of that converts numbers that there are not."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from ..core.event import Violation
from .provenance.record import PACKED, find

if TYPE_CHECKING:
    import torch

    from .call import Call

_PACKS = "bitsandbytes.quantize_4bit"
_READS = {
    "bitsandbytes.dequantize_4bit": ("A", "shape"),
    "bitsandbytes.gemm_4bit": ("B", "shapeB"),
    "bitsandbytes.gemv_4bit": ("B", "shapeB"),
}
OF_CODES = {_PACKS, *_READS}
_EFFECT = "the codes were converted as if they were numbers: the weights are no longer those that were quantized"


def packed(name: str, out: Any) -> None:
    """Mark the codes that an op made."""
    record = find(out[0]) if name == _PACKS else None
    if record is not None:
        record.codes = PACKED


def converted(call: Call) -> Violation | None:
    """Return what a kernel reads as codes that was converted since they were packed; they are read byte by byte."""
    given: dict[str, Any] = dict(call.given())
    argument, shape = _READS.get(call.plan.name, ("", ""))
    codes: torch.Tensor | None = given.get(argument)
    record = find(codes) if codes is not None else None
    if codes is None or record is None:
        return None
    before = record.codes
    if not before:
        numbers = 2 * codes.numel() * codes.element_size()
        before = PACKED if numbers - prod(given[shape]) in (0, 1) else "uint8"
    record.codes = PACKED  # reported once
    if before == PACKED:
        return None
    return Violation(
        kind="dtype", odd=(argument,), expected=before, error=_EFFECT, raises=""
    )
