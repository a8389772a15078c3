"""Tensors as they are made: constants, ranges and random numbers, of which the call says all."""

from __future__ import annotations

import torch

from ....core.moments import Moments, between, constant, normal
from ..seen import Seen


def _full(seen: Seen) -> Moments | None:
    value = seen.number("fill_value" if "fill_value" in seen.given else "value")
    return None if value is None else constant(value)


def _arange(seen: Seen) -> Moments | None:
    start, end, step = (seen.number(name) for name in ("start", "end", "step"))
    start, step = start or 0.0, 1.0 if step is None else step
    if end is None or not step:
        return None
    whole = start.is_integer() and step.is_integer()
    last = max(start, end - step) if step > 0 else min(start, end - step)
    return between(min(start, last), max(start, last), whole=whole)


def _linspace(seen: Seen) -> Moments | None:
    start, end = seen.number("start"), seen.number("end")
    if start is None or end is None:
        return None
    return between(min(start, end), max(start, end))


def _normal(seen: Seen) -> Moments | None:
    mean, deviation = seen.number("mean"), seen.number("std")
    if any(
        name in seen.given and isinstance(seen.given[name], torch.Tensor)
        for name in ("mean", "std")
    ):
        return None
    return normal(
        0.0 if mean is None else mean, 1.0 if deviation is None else deviation
    )


def _uniform(seen: Seen) -> Moments:
    lo, hi = seen.number("from"), seen.number("to")
    return between(0.0 if lo is None else lo, 1.0 if hi is None else hi)


def _integers(seen: Seen) -> Moments | None:
    low, high = seen.number("low"), seen.number("high")
    if high is None:
        return None
    return between(low or 0.0, high - 1, whole=True)


_ZEROS = "zeros", "zeros_like", "new_zeros", "zero"
_ONES = "ones", "ones_like", "new_ones"
RULES = {
    **dict.fromkeys(("randn", "randn_like"), lambda _: normal(0.0, 1.0)),
    **dict.fromkeys(("rand", "rand_like"), lambda _: between(0.0, 1.0)),
    **dict.fromkeys(("randint", "randint_like"), _integers),
    **dict.fromkeys(_ZEROS, lambda _: constant(0.0)),
    **dict.fromkeys(_ONES, lambda _: constant(1.0)),
    **dict.fromkeys(("full", "full_like", "new_full"), _full),
    "normal": _normal,
    "uniform": _uniform,
    "arange": _arange,
    "linspace": _linspace,
}
