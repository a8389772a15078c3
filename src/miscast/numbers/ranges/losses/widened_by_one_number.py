"""One number, in a tensor with a dimension, that makes a large tensor wider without a word."""

from __future__ import annotations

import math

import torch

from ....vm.provenance.record import find as find_record
from ..loss import HALF, Lost, short
from ..names import MASK
from ..seen import BACK, Seen

OPS = frozenset({
    "add", "sub", "mul", "div", "where", "addcmul", "maximum", "minimum", "pow", "rsub", "cat", "concat",
})  # fmt: skip
WIDENS = True
_LARGE = 1 << 6
_DRAWN = frozenset({MASK, "rand", "randn", "bernoulli"})
"""Masks and random numbers, which are float32 where nobody says otherwise."""
_DRAWS = frozenset({"torch.rand", "torch.randn", "torch.normal"})
"""Functions whose result has such a dtype, which scaled values inherit."""


_WORKED_OUT = frozenset(
    {"arange", "linspace", "div", "true_divide", "pow", "cos", "sin", "rsub"}
)
_ARRAYS = frozenset(
    {"torch.from_numpy", "torch.as_tensor", "torch.tensor", "torch.asarray"}
)
"""Functions that give a tensor an array's dtype. NumPy's arrays are float64 unless set otherwise."""


def find(seen: Seen) -> Lost | None:
    """Return a result that is wide because of an operand of few elements."""
    dtype, out = seen.dtype, seen.tensor("out")
    if (
        dtype not in (torch.float32, torch.float64, torch.complex128)
        or out is None
        or out.numel() < _LARGE
    ):
        return None
    if seen.name in ("cat", "concat"):
        return _joined(seen, dtype, out)
    operands = {
        name: one
        for name, one in seen.given.items()
        if isinstance(one, torch.Tensor)
        and one.dim()
        and (one.is_floating_point() or one.is_complex())
    }
    narrow = [
        one for one in operands.values() if one.dtype is not dtype and one.numel() > 1
    ]
    wide = [name for name, one in operands.items() if one.dtype is dtype]
    if not wide or not narrow or len(wide) + len(narrow) < len(operands):
        return None
    by = next(
        (
            name
            for name in wide
            if _by_chance(seen, name, operands[name], out)
            and not _is_larger(operands[name], narrow)
        ),
        None,
    )
    if by is None or (
        dtype is torch.float32 and not all(one.dtype in HALF for one in narrow)
    ):
        return None
    width = max(one.dtype.itemsize for one in narrow)
    more = math.prod(out.shape) * (dtype.itemsize - width)
    kept, few = short(narrow[0].dtype), operands[by].numel()
    return Lost(
        rule="widened-by-one-number",
        operand=by,
        wanted=kept,
        figures=f"{_bytes(out.numel() * width)} of {kept} become {short(dtype)} ({_bytes(more)} more) because "
        "of a tensor "
        f"with {few} element{'s' * (few > 1)}",
        waits=BACK if dtype is torch.float32 else frozenset(),
    )


def _is_larger(one: torch.Tensor, narrow: list[torch.Tensor]) -> bool:
    """Check whether it is what the others are broadcast to: data beside a weight."""
    return one.numel() > 1 and all(
        one.numel() > other.numel() and one.dim() > other.dim() for other in narrow
    )


def _joined(seen: Seen, dtype: torch.dtype, out: torch.Tensor) -> Lost | None:
    """Return a finding if a few float32 rows are joined to many half-precision ones."""
    parts = [
        one for one in seen.given.get("tensors", ()) if isinstance(one, torch.Tensor)
    ]
    narrow = [one for one in parts if one.dtype in HALF]
    more = sum(one.numel() for one in narrow)
    if dtype is not torch.float32 or _casts(out) or 2 * more < out.numel():
        return None
    kept, grown = short(narrow[0].dtype), _bytes(more * 2)
    return Lost(
        rule="widened-by-one-number",
        operand="out",
        wanted=kept,
        form="joined",
        figures=f"{grown} of {kept} become float32 ({grown} more) because of a tensor with "
        f"{out.numel() - more} elements",
    )


def _by_chance(seen: Seen, name: str, one: torch.Tensor, out: torch.Tensor) -> bool:
    """Return one number with a dimension; an array of NumPy's.

    A table of constants that is broadcast where nothing casts.
    """
    if one.numel() == 1:
        return True
    record = find_record(one)
    origin = None if record is None else record.dtype_origin
    drawn = origin is not None and origin.op in _DRAWS and one.shape == out.shape
    if seen.made_by(name) in _DRAWN or (drawn and not one.requires_grad):
        return one.dtype is torch.float32 and not _casts(out)
    double = one.dtype in (torch.float64, torch.complex128)
    if double and origin is not None and origin.op in _ARRAYS:
        return True
    if seen.made_by(name).startswith("upsample") and 2 * one.numel() <= out.numel():
        return not _casts(out)
    if one.dtype is torch.float64 and _knows_all(seen):
        return False  # a table that is worked out in double
    return (
        (one.dim() < out.dim() or one.shape[0] == 1 or 2 * one.numel() <= out.numel())
        and (one.shape[-1] == out.shape[-1] > 1 or _is_ramp(seen, name, one))
        and not one.requires_grad
        and seen.known(name) is not None
        and seen.made_by(name) != ""
        and not _casts(out)
    )


def _is_ramp(seen: Seen, name: str, one: torch.Tensor) -> bool:
    """Check whether a number for each row was counted or worked out, and is no statistic of the rows."""
    return one.dim() > 1 and one.shape[-1] == 1 and seen.made_by(name) in _WORKED_OUT


def _knows_all(seen: Seen) -> bool:
    """Check whether there are no data in it: the numbers of each tensor are known."""
    tensors = [
        name for name, one in seen.given.items() if isinstance(one, torch.Tensor)
    ]
    return all(seen.known(name) is not None for name in tensors)


def _casts(out: torch.Tensor) -> bool:
    """Check whether a region of autocast is on, in which mixes are meant."""
    record = find_record(out)
    kind = "cpu" if record is None or record.device is None else record.device.type
    return kind != "meta" and torch.is_autocast_enabled(kind)


def _bytes(count: int) -> str:
    return f"{count / 2**20:.1f} MiB" if count >= 2**20 else f"{count / 2**10:.0f} KiB"
