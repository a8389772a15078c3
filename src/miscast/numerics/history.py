"""Numbers that a half dtype has rounded, and that are wide again: how far off they are, and what rounded them.

freqs = freqs.to(torch.bfloat16)         # off by 0.002
angles = positions * freqs.float()       # float32, and off by 4 radians at position 2000
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

from ..provenance.origin import frames_of_run
from ..provenance.record import find, is_tensor
from .loss import HALF, PRECISION, spacing
from .seen import CASTS, Seen, moments_of, numbers

if TYPE_CHECKING:
    from ..moments import Moments
    from ..provenance.origin import Origin

_GIVEN = frozenset({"loaded", "given"})
"""Numbers that come in a half dtype are data: nobody knows of better ones."""
_FSDP = "_cast_forward_inputs"
"""The function of FSDP that casts what a module is given."""
_KEEP = (
    "copy", "clone", "contiguous", "index", "index_select", "gather", "repeat", "repeat_interleave", "expand", "neg",
    "abs", "round", "floor", "ceil", "trunc", "flip", "roll", "reshape",
)  # fmt: skip
_FEW_TERMS = 8
"""Longer sums of products, as those of a layer, average what was rounded off."""
_USUAL = 0.25
"""By how many spacings rounding puts a usual number off."""
_SPARE_BITS = 3
"""Numbers that leave so many bits of their dtype unused were written down as they are, 0.5 and 0.75."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounded:
    """By how much the most affected number is off, what gave the numbers a half dtype, and whether FSDP did."""

    error: float
    origin: Origin | None
    policy: bool = False

    @property
    def form(self) -> str:
        """The kind of cast, which decides the help."""
        return "policy" if self.policy else "rounded"


class History:
    """What is known of roundings in one run."""

    def __init__(self) -> None:
        """Nothing was rounded yet."""
        self.any = False

    def see(self, seen: Seen) -> None:
        """Hand on what was rounded off the operands of an op, or note what this cast rounds off."""
        if seen.name not in OPS or not (self.any or seen.name in CASTS):
            return
        rounding = _RULES[seen.name](seen)
        record = find(seen.out) if is_tensor(seen.out) else None
        if record is not None and (rounding is not None or seen.in_place):
            record.rounded, self.any = rounding, True


def rounding_of(value: Any) -> Rounded | None:
    """Return what is known of the roundings behind a tensor."""
    record = find(value) if is_tensor(value) else None
    return None if record is None else record.rounded


def _cast(seen: Seen) -> Rounded | None:
    tensor, dtype = seen.tensor("self"), seen.dtype
    if tensor is None or dtype is None or not dtype.is_floating_point:
        return None
    before = rounding_of(tensor)
    if before is not None or not tensor.is_floating_point():
        return before
    if dtype in HALF:
        return None if tensor.dtype in HALF else _narrowed(tensor, seen.out)
    return _widened(tensor) if tensor.dtype in HALF else None


def _narrowed(tensor: torch.Tensor, out: torch.Tensor) -> Rounded | None:
    """What a cast to half rounds off: of known numbers exactly, else as usual for their size."""
    values, record = numbers(tensor), find(out)
    error = _usual(moments_of(tensor), out.dtype) if values is None else 0.0
    if values is not None and values.numel():
        error = float((values - values.to(out.dtype).to(values.dtype)).abs().max())
    if record is None or (values is None and not error) or not math.isfinite(error):
        return None
    by = (frame.f_code.co_name for frame in frames_of_run(sys._getframe(1)))
    return Rounded(error=error, origin=record.dtype_origin, policy=_FSDP in by)


def _widened(half: torch.Tensor) -> Rounded | None:
    """What was rounded off known numbers when they were computed in half: half a spacing of the largest."""
    values, record = numbers(half), find(half)
    origin = None if record is None else record.dtype_origin
    if values is None or origin is None or origin.kind in _GIVEN:
        return None
    exact = values.double()
    bits = 2.0 ** (PRECISION[half.dtype] - _SPARE_BITS)
    rough = (exact.frexp().mantissa * bits).frac() != 0
    if not bool(exact.isfinite().all()) or not bool(exact.frac().any()):
        return None
    if 2 * int(rough.sum()) < max(values.numel(), 1):
        return None
    largest = float(exact[rough].abs().max())
    return Rounded(error=spacing(largest, half.dtype) / 2, origin=origin)


def _usual(moments: Moments | None, dtype: torch.dtype) -> float:
    if moments is None or moments.constant() or not math.isfinite(moments.rms):
        return 0.0
    if moments.whole and moments.most <= 2 ** PRECISION[dtype]:
        return 0.0
    return _USUAL * spacing(moments.rms, dtype)


def _kept(seen: Seen) -> Rounded | None:
    return rounding_of(seen.given.get("src" if seen.name == "copy" else "self"))


def _joined(seen: Seen) -> Rounded | None:
    return _largest(rounding_of(one) for one in seen.given.get("tensors", ()))


def _sum(seen: Seen) -> Rounded | None:
    return _largest(rounding_of(seen.given.get(name)) for name in ("self", "other"))


def _largest(roundings: Any) -> Rounded | None:
    return max(
        (one for one in roundings if one is not None),
        key=lambda one: one.error,
        default=None,
    )


def _product(seen: Seen) -> Rounded | None:
    """What is off is multiplied with the largest number of the other factor."""
    second = next(
        (name for name in ("other", "mat2", "tensor2", "vec2") if name in seen.given),
        "other",
    )
    terms = _terms(seen)
    return _largest(
        _times(seen, a, b, terms) for a, b in (("self", second), (second, "self"))
    )


def _times(seen: Seen, off: str, by: str, terms: int) -> Rounded | None:
    rounding = rounding_of(seen.given.get(off))
    if rounding is None or terms > _FEW_TERMS:
        return None
    largest = _largest_of(seen, by)
    return (
        None
        if largest is None
        else replace(rounding, error=rounding.error * terms * largest)
    )


def _largest_of(seen: Seen, name: str) -> float | None:
    value = seen.given.get(name)
    if isinstance(value, complex):
        return abs(value)
    moments = seen.moments(name)
    return None if moments is None else max(map(abs, moments.typical()))


def _terms(seen: Seen) -> int:
    tensor = seen.tensor("self")
    return (
        tensor.shape[-1]
        if seen.name in _MATRICES and tensor is not None and tensor.dim()
        else 1
    )


def _quotient(seen: Seen) -> Rounded | None:
    rounding, by = rounding_of(seen.given.get("self")), seen.number("other")
    return (
        replace(rounding, error=rounding.error / abs(by))
        if rounding is not None and by
        else None
    )


_MATRICES = ("mm", "bmm", "matmul")
_RULES = {
    **dict.fromkeys(CASTS, _cast),
    **dict.fromkeys(_KEEP, _kept),
    **dict.fromkeys(("cat", "stack"), _joined),
    **dict.fromkeys(("add", "sub", "rsub"), _sum),
    **dict.fromkeys(("mul", "outer", *_MATRICES), _product),
    "div": _quotient,
}
OPS = frozenset(_RULES)
