"""Steps between numbers of one table, a schedule most often, that a half dtype has made equal, or nearly."""

from __future__ import annotations

from ....vm.provenance.record import find as record_of
from ..history import exact_of, rounding_of
from ..loss import HALF, Lost, short
from ..seen import Seen, numbers

OPS = frozenset({"sub", "diff"})
PLAIN = True
_OFF, _SHARE = 0.5, 0.1
"""Relative error of a step, and share of such steps. In data, some neighbours are nearly equal."""


def find(seen: Seen) -> Lost | None:
    """Return a precision loss if the difference of numbers of one tensor becomes 0, or another number."""
    out, rounding = seen.tensor("out"), rounding_of(seen.given.get("self"))
    if (
        out is None
        or seen.dtype not in HALF
        or not (seen.name == "diff" or _of_one_table(seen))
    ):
        return None
    exact, low = exact_of(out), numbers(out)
    if rounding is None or rounding.origin is None or exact is None or low is None:
        return None
    lost = int(((low - exact).abs() >= exact.abs() * _OFF).sum() - (exact == 0).sum())
    if lost < max(1, _SHARE * low.numel()):
        return None
    return Lost(
        rule="difference-cancels",
        form="steps",
        origin=rounding.origin,
        figures=f"{lost} of {low.numel()} steps between neighbours are 0, or off by half or more, in "
        f"{short(rounding.origin.dtype)}",
    )


def _of_one_table(seen: Seen) -> bool:
    one, other = seen.tensor("self"), seen.tensor("other")
    return (
        one is not None
        and other is not None
        and one.shape == other.shape
        and record_of(one) is record_of(other)
    )
