"""Integers that pass the ends of their dtype and come back at the other."""

from __future__ import annotations

import math

import torch

from ....core.moments import Moments, constant, product, total
from ..loss import INTEGERS, Lost, short, spelled
from ..seen import CASTS, Seen, measured

OPS = frozenset({"add", "sub", "mul", "rsub", "neg", "pow"}) | CASTS
_NARROW = INTEGERS - {torch.int64}
_MIXES = 1 << 16
"""A factor that large is there to mix bits: hashing wraps on purpose, in int64 always."""


def find(seen: Seen) -> Lost | None:
    """Return a result that its dtype cannot hold."""
    dtype = seen.dtype
    if dtype not in _NARROW:
        return None
    wide = _wide(seen)
    if wide is None:
        return None
    limits = torch.iinfo(dtype)
    lo, hi = wide.typical()
    if seen.name in CASTS:
        lo, hi = (0.0 if -1.0 < lo < 0.0 else lo), math.floor(hi)
    if limits.min <= lo and hi <= limits.max:
        return None
    end = (
        f"{spelled(hi)}, above {limits.max}"
        if hi > limits.max
        else f"{spelled(lo)}, below {limits.min}"
    )
    return Lost(
        rule="integer-wraps",
        wanted="int64" if dtype is torch.int32 else "int32",
        form="cast" if seen.name in CASTS else "",
        figures=f"numbers reach {end}: {short(dtype)} wraps around",
    )


def _wide(seen: Seen) -> Moments | None:
    """Return what the result would be in whole numbers without ends.

    Of known numbers exactly, else by their moments.
    """
    x = seen.moments("self")
    if seen.name in CASTS:
        return None if x is None or not _real(seen) else x
    if seen.name == "neg":
        return None if x is None else product(x, constant(-1))
    y = seen.moments("exponent" if seen.name == "pow" else "other")
    if x is None or y is None:
        return None
    if seen.name == "mul" and y.constant() and y.most >= _MIXES and y.hi % 2:
        return None
    exact = _exactly(seen)
    if exact is not None:
        return exact
    if seen.name == "sub" and y.constant() and y.hi == 1:
        return None  # labels that are shifted: what is 0 was set aside, most often
    if seen.name == "mul":
        return product(x, y)
    if seen.name == "pow":
        return product(x, x) if y.constant() and y.hi == 2 else None
    x, y = (y, x) if seen.name == "rsub" else (x, y)
    alpha = seen.number("alpha")
    sign = (1 if seen.name == "add" else -1) * (1.0 if alpha is None else alpha)
    return total(x, product(y, constant(sign)))


def _real(seen: Seen) -> bool:
    """Check whether fractions become integers: from integers a mask of bits is cut off on purpose."""
    tensor = seen.tensor("self")
    return tensor is not None and tensor.is_floating_point()


def _exactly(seen: Seen) -> Moments | None:
    values = [seen.known(name) for name in ("self", "other")]
    x = values[0]
    if x is None:
        return None
    other = seen.given.get("other")
    y = (
        values[1]
        if values[1] is not None
        else other
        if isinstance(other, (int, float))
        else None
    )
    if y is None or seen.name == "pow":
        return None
    a = x.to(torch.float64)
    b = y.to(torch.float64) if isinstance(y, torch.Tensor) else float(y)
    if seen.name == "mul":
        return measured(a * b)
    alpha = seen.number("alpha")
    b = b * (1.0 if alpha is None else alpha)
    return measured(
        a + b if seen.name == "add" else b - a if seen.name == "rsub" else a - b
    )
