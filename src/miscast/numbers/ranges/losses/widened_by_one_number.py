"""One number, in a tensor with a dimension, that makes a large tensor wider without a word."""

from __future__ import annotations

import torch

from ....vm.provenance.origin import Origin
from ....vm.provenance.record import find as find_record
from ..loss import HALF, INTEGERS, Lost, short
from ..names import MASK, casts
from ..seen import BACK, Seen

OPS = frozenset({
    "add", "sub", "mul", "div", "where", "addcmul", "maximum", "minimum", "pow", "rsub", "cat", "concat",
})  # fmt: skip
WIDENS = True
_WIDE = (torch.float32, torch.float64, torch.complex128)
_FUNCTION = 2
_Given = dict[str, torch.Tensor]
_EXACT = INTEGERS | {torch.bool}
_LARGE = 1 << 6
_DRAWN = frozenset({MASK, "rand", "randn", "bernoulli"})
"""Masks and random numbers, which are float32 where nobody says otherwise."""
_DRAWS = frozenset({"torch.rand", "torch.randn", "torch.normal"})
"""Functions whose result has such a dtype, which scaled values inherit."""
_WORKED_OUT = {"arange", "linspace", "div", "true_divide", "pow", "cos", "sin", "rsub"}
_ARRAYS = {"torch.from_numpy", "torch.as_tensor", "torch.tensor", "torch.asarray"}
"""Functions that give a tensor an array's dtype. NumPy's arrays are float64 unless set otherwise."""


def find(seen: Seen) -> Lost | None:
    """Return a result that is wide because of an operand of few elements."""
    dtype, out = seen.dtype, seen.tensor("out")
    if dtype not in _WIDE or out is None or out.numel() < _LARGE:
        return None
    if seen.name in ("cat", "concat"):
        return _joined(seen, dtype, out)
    operands = _operands(seen)
    narrow = [one for one in operands.values() if one.dtype is not dtype]
    if not _may_widen(narrow, dtype):
        return None
    by = _widener(seen, operands, narrow, out)
    return None if by is None else _widened(by, operands[by], narrow, out)


def _widener(
    seen: Seen, given: _Given, narrow: list[torch.Tensor], out: torch.Tensor
) -> str | None:
    for name, one in given.items():
        wide = one.dtype is out.dtype and not _is_larger(one, narrow)
        if wide and _by_chance(seen, name, one, out):
            return name
    return None


def _operands(seen: Seen) -> _Given:
    """Return by name the operands that have a say in the dtype of a result with dimensions."""
    tensors = {name: seen.tensor(name) for name in seen.given}
    return {
        name: one
        for name, one in tensors.items()
        if one is not None and one.dim() and one.dtype not in _EXACT
    }


def _may_widen(narrow: list[torch.Tensor], dtype: torch.dtype) -> bool:
    """Check whether all of these are large, and of a half dtype beside float32."""
    half = dtype is not torch.float32 or all(one.dtype in HALF for one in narrow)
    return half and bool(narrow) and all(one.numel() > 1 for one in narrow)


def _widened(
    by: str, one: torch.Tensor, narrow: list[torch.Tensor], out: torch.Tensor
) -> Lost:
    width = max(one.dtype.itemsize for one in narrow)
    before, more = out.numel() * width, out.numel() * (out.dtype.itemsize - width)
    kept, few = short(narrow[0].dtype), one.numel()
    return Lost(
        rule="widened-by-one-number",
        operand=by,
        wanted=kept,
        figures=f"{_bytes(before)} of {kept} become {short(out.dtype)} ({_bytes(more)} more) because of a tensor "
        f"with {few} element{'s' * (few > 1)}",
        waits=BACK if out.dtype is torch.float32 else frozenset(),
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
    if (
        dtype is not torch.float32
        or casts(out, unknown=False)
        or 2 * more < out.numel()
    ):
        return None
    kept, grown = short(narrow[0].dtype), _bytes(more * 2)
    computed = any(one.dtype not in HALF and not _is_created(one) for one in parts)
    return Lost(
        rule="widened-by-one-number",
        operand="out",
        wanted=kept,
        form="joined",
        waits=BACK if computed else frozenset(),
        figures=f"{grown} of {kept} become float32 ({grown} more) because of a tensor with "
        f"{out.numel() - more} elements",
    )


def _is_created(one: torch.Tensor) -> bool:
    """Check whether nothing was computed with it: it has its dtype from where it was created."""
    origin = _origin(one)
    return origin is not None and origin.kind == "born"


def _by_chance(seen: Seen, name: str, one: torch.Tensor, out: torch.Tensor) -> bool:
    """Return one number with a dimension; an array of NumPy's.

    A table of constants that is broadcast where nothing casts.
    """
    if one.numel() == 1:
        return True
    if one.shape == out.shape and _is_noise(seen, name, one):
        return one.dtype is torch.float32 and not casts(out, unknown=False)
    if seen.made_by(name) in _DRAWN:
        return one.dtype is torch.float32 and not casts(out, unknown=False)
    if one.dtype is not torch.float32 and _source(one) in _ARRAYS:
        return True
    return _is_constant(seen, name, one, out) and not casts(out, unknown=False)


def _is_noise(seen: Seen, name: str, one: torch.Tensor) -> bool:
    """Check whether it was drawn, and no function of draws that needs float32, as Gumbel noise."""
    scaled = not one.requires_grad and seen.degree(name) < _FUNCTION
    return scaled and _source(one) in _DRAWS


def _source(one: torch.Tensor) -> str:
    """Return the function that gave a tensor its dtype, "" if that is not known."""
    origin = _origin(one)
    return "" if origin is None else origin.op


def _origin(one: torch.Tensor) -> Origin | None:
    record = find_record(one)
    return record.dtype_origin if record is not None else None


def _is_constant(seen: Seen, name: str, one: torch.Tensor, out: torch.Tensor) -> bool:
    """Check whether it is small and the same for all data, and is not worked out in double."""
    small = 2 * one.numel() <= out.numel()
    if small and seen.made_by(name).startswith("upsample"):
        return True
    if one.dtype is torch.float64 and _knows_all(seen):
        return False
    return (small or one.dim() < out.dim() or one.shape[0] == 1) and _is_table(
        seen, name, one, out
    )


def _is_table(seen: Seen, name: str, one: torch.Tensor, out: torch.Tensor) -> bool:
    """Check whether these are known constants, a row or a column of them."""
    if one.requires_grad or not seen.made_by(name) or seen.known(name) is None:
        return False
    return one.shape[-1] == out.shape[-1] > 1 or _is_ramp(seen, name, one)


def _is_ramp(seen: Seen, name: str, one: torch.Tensor) -> bool:
    """Check whether a number for each row was counted or worked out, and is no statistic of the rows."""
    return one.dim() > 1 and one.shape[-1] == 1 and seen.made_by(name) in _WORKED_OUT


def _knows_all(seen: Seen) -> bool:
    """Check whether there are no data in it: the numbers of each tensor are known."""
    tensors = [
        name for name, one in seen.given.items() if isinstance(one, torch.Tensor)
    ]
    return all(seen.known(name) is not None for name in tensors)


def _bytes(count: int) -> str:
    return f"{count / 2**20:.1f} MiB" if count >= 2**20 else f"{count / 2**10:.0f} KiB"
