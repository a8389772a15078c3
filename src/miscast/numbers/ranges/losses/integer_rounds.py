"""Positions, indices, timesteps and counts in a dtype whose whole numbers end before theirs."""

from __future__ import annotations

import torch

from ....core.moments import Moments
from ....vm.provenance import factories
from ....vm.provenance.record import is_tensor
from ..loss import HALF, PRECISION, Lost, short, spelled
from ..names import HALF_UP, MIXES
from ..seen import CASTS, Seen, moments_of, numbers
from ..whole import PART, came_back

_JOINS = frozenset({"cat", "stack"})
_PROMOTES = frozenset({"mul", "div", "add", "sub", "where"})
_CUTS = CASTS | {"floor", "trunc"}
OPS = _CUTS | _JOINS | _PROMOTES | {"arange", "range", "linspace", "cumsum", "copy"}
PLAIN = True
WIDENS = True
_COUNTED = frozenset({"sum", "mean"})
_ALIKE = 2
"""A single number that is rounded keeps its size; two that become one are lost."""


def find(seen: Seen) -> Lost | None:
    """Return a precision loss if distinct whole numbers become equal."""
    dtype = seen.dtype
    if seen.name in _CUTS and seen.made_by("self") == HALF_UP:
        return _half_up(seen)
    if seen.name in CASTS and dtype in (torch.int32, torch.int64):
        return came_back(seen)
    if dtype not in PRECISION or dtype is torch.float64:
        return None
    exact = 2.0 ** PRECISION[dtype]
    rule = _RULES.get(seen.name, None if seen.name in _CUTS else _counted)
    return None if rule is None else rule(seen, dtype, exact)


def _half_up(seen: Seen) -> Lost | None:
    """Return a precision loss if numbers are rounded by `floor(x + 0.5)` where the dtype has no halves."""
    tensor, found = seen.tensor("self"), seen.moments("self")
    if tensor is None or tensor.dtype not in HALF or found is None:
        return None
    most, whole = max(map(abs, found.typical())), 2 ** (PRECISION[tensor.dtype] - 1)
    if most < whole:
        return None
    return Lost(
        rule="integer-rounds",
        form="half up",
        figures=f"numbers reach {spelled(most)}, and above {whole} x + 0.5 is rounded to a whole number in "
        f"{short(tensor.dtype)}",
    )


def _summed(seen: Seen, dtype: torch.dtype, exact: float) -> Lost | None:
    """Return a precision loss if a running sum of whole lengths exceeds the dtype's exact integers."""
    tensor, found = seen.tensor("self"), seen.moments("out")
    x = seen.moments("self")
    if tensor is None or tensor.dim() == 0 or found is None or x is None:
        return None
    if not x.whole or x.lo == x.hi == 0 or 2 * abs(found.mean) <= exact:
        return None
    return _beyond(found, dtype, exact, "self")


def _converted(seen: Seen, dtype: torch.dtype, exact: float) -> Lost | None:
    tensor = seen.tensor("self")
    if tensor is None or tensor.dtype in (dtype, torch.bool) or tensor.is_complex():
        return None
    values = seen.known("self")
    if values is None:
        # one count that is rounded, a divisor most often, is about what it was
        if not _counts(tensor.dtype) or tensor.numel() < _ALIKE:
            return None
        if seen.made_by("self") in _COUNTED:
            return None
        return _beyond(seen.moments("self"), dtype, exact, "out")
    # of float8 torch knows no maximum
    if values.numel() < _ALIKE or float(values.to(torch.float64).abs().max()) <= exact:
        return None
    counts = _counts(tensor.dtype) and tensor.dim() > 0
    each = counts and seen.made_by("self") not in MIXES
    return _merged(values, dtype, "out", each=each)


def _ids(part: torch.Tensor | None, exact: float) -> torch.Tensor | None:
    """Return the known numbers of a tensor of ids, if some are larger than what the dtype has all of."""
    if part is None or not _counts(part.dtype) or not part.dim():
        return None
    values = numbers(part)
    if values is None or values.numel() < _ALIKE:
        return None
    return values if float(values.double().abs().max()) > exact else None


def _written(seen: Seen, dtype: torch.dtype, exact: float) -> Lost | None:
    """Return what ids lose that are written into a tensor of floats."""
    values = _ids(seen.tensor("src"), exact)
    if values is None:
        return None
    return _merged(values, dtype, "self", each=seen.made_by("src") not in MIXES)


def _promoted(seen: Seen, dtype: torch.dtype, exact: float) -> Lost | None:
    """Return what distinct integers lose that an op computes with as floats, because its other operand is one."""
    for name in ("self", "other"):
        values = None if seen.made_by(name) in MIXES else _ids(seen.tensor(name), exact)
        if values is not None:
            lost = _merged(values, dtype, name, each=seen.name == "where")
            if lost is not None:
                return lost
    return None


def _joined(seen: Seen, dtype: torch.dtype, exact: float) -> Lost | None:
    """Return a precision loss if joined integers take the dtype of wider tensors: ids next to scores."""
    for part in seen.given.get("tensors", ()):
        if not is_tensor(part) or not _counts(part.dtype) or part.numel() < _ALIKE:
            continue
        values = numbers(part)
        if values is None:
            lost = _beyond(moments_of(part), dtype, exact, "out")
        else:
            beyond = float(values.to(torch.float64).abs().max()) > exact
            lost = _merged(values, dtype, "out", each=True) if beyond else None
        if lost is not None:
            return lost
    return None


def _merged(
    values: torch.Tensor, dtype: torch.dtype, operand: str, *, each: bool = False
) -> Lost | None:
    """Return a precision loss if known whole numbers become equal or, with `each` (for indices), change at all."""
    exact = values.detach().to(torch.float64).flatten()
    parts = bool(exact.frac().any())
    # that a half dtype rounds measurements is meant; float32 makes none equal but instants, and the like
    if not bool(exact.isfinite().all()) or (parts and dtype is not torch.float32):
        return None
    before, after = exact.unique().numel(), exact.to(dtype).unique().numel()
    if parts and before - after < PART * before:
        return None
    changed = int((exact.to(dtype).to(torch.float64) != exact).sum())
    if before - after < _ALIKE and not (each and changed >= _ALIKE):
        return None
    return Lost(
        rule="integer-rounds",
        operand=operand,
        wanted=_wide(dtype, float(exact.abs().max())),
        figures=f"{_became(before, after, changed)} up to {spelled(exact.abs().max().item())}: "
        f"{short(dtype)} represents whole numbers exactly only up to {2 ** PRECISION[dtype]}",
    )


def _became(before: int, after: int, changed: int) -> str:
    if before > after:
        return f"{before} distinct numbers become {after},"
    return f"{changed} numbers change,"


def _counted(seen: Seen, dtype: torch.dtype, exact: float) -> Lost | None:
    """Return the precision loss of `arange` in the dtype itself: torch computes each number and rounds it."""
    ends = [seen.number(name) for name in ("start", "end", "step")]
    start, end, step = ends[0] or 0.0, ends[1], 1.0 if ends[2] is None else ends[2]
    many = seen.number("steps")
    if seen.name == "linspace" and end is not None and many and many > 1:
        step = (end - start) / (many - 1)
        end += step / 2
    if end is None or not step or not (start.is_integer() and step.is_integer()):
        return None
    # more numbers than that are not made to be counted
    if max(abs(start), abs(end)) <= exact or abs((end - start) / step) > 2**26:
        return None
    return _merged(
        factories.arange(start, end, step, dtype=torch.float64), dtype, "out"
    )


def _beyond(
    found: Moments | None, dtype: torch.dtype, exact: float, operand: str
) -> Lost | None:
    if found is None or not found.whole or found.constant() or found.most <= exact:
        return None
    return Lost(
        rule="integer-rounds",
        operand=operand,
        wanted=_wide(dtype, found.most),
        figures=f"whole numbers reach {spelled(found.most)} here: {short(dtype)} is exact only up to "
        f"{2 ** PRECISION[dtype]}",
    )


def _counts(dtype: torch.dtype) -> bool:
    """Check whether a dtype is that of positions and indices; bytes and samples of sound are measurements."""
    return dtype in (torch.int32, torch.int64)


def _wide(dtype: torch.dtype, most: float) -> str:
    return "float32" if dtype is not torch.float32 and most <= 2**24 else "float64"


_RULES = {
    **dict.fromkeys(CASTS, _converted),
    **dict.fromkeys(_PROMOTES, _promoted),
    **dict.fromkeys(_JOINS, _joined),
    "copy": _written,
    "cumsum": _summed,
}
