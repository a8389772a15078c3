"""Whole numbers that come back from a dtype that did not hold all of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from .history import rounding_of
from .loss import HALF, PRECISION, Lost, short, spacing, spelled, wider
from .seen import Seen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...vm.provenance.origin import Place

_ALIKE, PART = 2, 0.25
"""Numbers that become equal before that is a loss, and which part of them all, where they have fractions."""
_LONGEST = 100_000
_ROUNDINGS, _ROUGH = 4, 0.01
_EPOCH = 2.0**30, 2.0**31
"""Years 2004 to 2038."""


def came_back(seen: Seen) -> Lost | None:
    """Return a conversion to indices of numbers of which the dtype before had only some."""
    tensor = seen.tensor("self")
    if tensor is None or tensor.dtype not in PRECISION:
        return None
    rounding = rounding_of(tensor)
    if rounding is not None and rounding.error >= 1 and rounding.origin is not None:
        return Lost(
            rule="integer-rounds",
            form="rounded",
            wanted=wider(rounding.origin.dtype),
            origin=rounding.origin,
            figures=f"indices are computed from {short(rounding.origin.dtype)} numbers and off by up to "
            f"{spelled(rounding.error)}",
        )
    exact = 2.0 ** PRECISION[tensor.dtype]
    most = _most(seen, tensor.dtype, exact)
    if tensor.numel() < _ALIKE or not exact < most < 2.0**62:
        return None
    return Lost(
        rule="integer-rounds",
        wanted="float32" if most < 2.0**24 and tensor.dtype in HALF else "int64",
        figures=f"indices up to {spelled(most)} come from {short(tensor.dtype)}, which is exact only up to "
        f"{2 ** PRECISION[tensor.dtype]}",
    )


def just_below(values: torch.Tensor) -> int:
    """Return how many numbers a cast to integers takes to the one before, if all are whole but for their rounding.

    29 cents are 0.29 * 100 = 28.999999999999996, and a cast makes 28 of them.
    """
    exact = values.detach().double()
    off = (exact - exact.round()).abs()
    most = (_ROUNDINGS * torch.finfo(values.dtype).eps * exact.abs()).clamp(max=_ROUGH)
    if not exact.numel() or not bool((off <= most).all()):
        return 0
    return int((exact.trunc() != exact.round()).sum())


def _most(seen: Seen, dtype: torch.dtype, exact: float) -> float:
    """Return the largest of numbers that are all whole and several of which lie beyond; 0 where they are not."""
    values, found = seen.known("self"), seen.moments("self")
    if values is not None:
        beyond = values[values.abs() > exact].to(torch.float64)
        parts = bool(values.to(torch.float64).frac().any())
        several = beyond.unique().numel() >= _ALIKE and not parts
        return float(beyond.abs().max()) if several else 0.0
    if dtype not in HALF or found is None or found.constant():
        return 0.0
    return max(map(abs, found.typical()))


def became_floats(dtype: torch.dtype, data: Any, *, asked: bool) -> Lost | None:
    """Return a precision loss if whole numbers of a list change as floats; `asked`: in a dtype that somebody named.

    Integers that became floats because of others in the list (ids next to scores) count if they change. Others, such as
    ids that were read as floats, count if two become the same number.
    """
    if dtype not in PRECISION or dtype is torch.float64:
        return None
    reach = 2 ** PRECISION[dtype]
    large = {one for one in _numbers(data, _LONGEST) if abs(one) > reach}
    if len(large) < _ALIKE:
        return None
    held = {
        one: float(torch.tensor(float(one), dtype=torch.float64).to(dtype))
        for one in large
    }
    figures = ("" if asked else _changed(held)) or _merged(held, dtype)
    if not figures:
        return None
    return Lost(
        rule="integer-rounds",
        operand="out",
        wanted="float64",
        figures=f"{figures}: {short(dtype)} represents whole numbers exactly only up to {reach}",
    )


def _changed(held: dict[float, float]) -> str:
    changed = [one for one, now in held.items() if type(one) is int and now != one]
    if len(changed) < _ALIKE:
        return ""
    most = spelled(max(map(abs, changed)))
    return f"{len(changed)} whole numbers up to {most} change in a list with fractions"


def _merged(held: dict[float, float], dtype: torch.dtype) -> str:
    left, parts = len(set(held.values())), any(one % 1 for one in held)
    # that a half dtype rounds measurements is meant
    if parts and dtype in HALF:
        return ""
    if len(held) - left < max(_ALIKE, parts * PART * len(held)):
        return ""
    return f"{len(held)} different numbers up to {spelled(max(map(abs, held)))} become {left}"


def _numbers(data: Any, most: int) -> Iterator[float]:
    """Yield the finite numbers of nested lists, among at most `most` elements."""
    for one in data[:most]:
        if isinstance(one, (list, tuple)):
            yield from _numbers(one, max(1, most // max(1, len(data))))
        elif type(one) is int or (type(one) is float and math.isfinite(one)):
            yield one


class Puts:
    """Whole numbers that a program writes into tensors, one at a time, as ticks and counts are: of one run."""

    def __init__(self) -> None:
        self._last: dict[Place | None, float] = {}

    def lost(
        self, dtype: torch.dtype | None, number: Any, place: Place | None
    ) -> Lost | None:
        """Return a precision loss if a line writes another number than before and both round to the same value."""
        if type(number) not in (int, float) or number % 1 or dtype not in PRECISION:
            return None
        if abs(number) <= 2 ** PRECISION[dtype]:
            return None
        before = self._last.get(place)
        self._last[place] = number
        if before is None or before == number:
            return None
        if rounded_to(before, dtype) != rounded_to(number, dtype):
            return None
        return Lost(
            rule="integer-rounds",
            operand="out",
            wanted="float32" if dtype in HALF and abs(number) < 2**24 else "float64",
            figures=f"{before} and {number} are the same number here: {short(dtype)} represents whole numbers "
            f"exactly only up to {2 ** PRECISION[dtype]}",
        )


def rounded_to(number: float, dtype: torch.dtype) -> float:
    """Return a whole number as a dtype holds it."""
    step = spacing(abs(number), dtype)
    return round(number / step) * step


class Times:
    """Seconds since 1970, as `time.time()` gives them, one tensor each: of one run."""

    def __init__(self) -> None:
        self._met: set[float] = set()

    def lost(self, dtype: torch.dtype, number: Any) -> Lost | None:
        """Return a precision loss, from the second number on, if the differences between them are lost."""
        if (
            dtype is not torch.float32
            or type(number) is not float
            or not _EPOCH[0] < number < _EPOCH[1]
        ):
            return None
        if not number.is_integer():
            self._met.add(number)
        if len(self._met) < _ALIKE:
            return None
        return Lost(
            rule="integer-rounds",
            operand="out",
            wanted="float64",
            figures=f"seconds since 1970, such as {number:.10g}, are rounded to multiples of 128",
        )
