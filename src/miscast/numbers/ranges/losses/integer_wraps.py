"""Integers that pass the ends of their dtype, and come back at the other: of an op, or of a sum of valid terms."""

from __future__ import annotations

import math
from functools import partial

import torch

from ....core.moments import Moments, constant, product, summed
from ..loss import INTEGERS, Lost, short, spelled
from ..names import PLACES, additions, at_a_place
from ..seen import CASTS, Seen, in_float64, measured, numbers
from ..spreads import arithmetic, functions, products, reductions

_SHIFTS = frozenset({"__lshift__", "bitwise_left_shift"})
_NARROW = INTEGERS - {torch.int64}
_MIXES = 1 << 16
"""A factor that large is there to mix bits: hashing wraps on purpose, in int64 always."""
_BYTES = 16
"""Bits: what is shifted out of a wider integer is most often a hash's."""


def find(seen: Seen) -> Lost | None:
    """Return a result that its dtype cannot hold."""
    dtype = seen.dtype
    if dtype not in _NARROW or _is_hash(seen, dtype):
        return None
    wide = _wide(seen)
    if wide is None:
        return None
    (lo, hi), limits = wide.typical(), torch.iinfo(dtype)
    if seen.name in CASTS:
        lo, hi = (0.0 if -1.0 < lo < 0.0 else lo), math.floor(hi)
    if limits.min <= lo and hi <= limits.max:
        return None
    far, end = (hi, limits.max) if hi > limits.max else (lo, limits.min)
    return Lost(
        rule="integer-wraps",
        operand="self" if seen.tensor("self") is not None else "input",
        wanted="int64" if dtype is torch.int32 else "int32",
        form="cast" if seen.name in CASTS else "",
        figures=f"numbers reach {spelled(far)}, but {short(dtype)} ends at {end}",
    )


def _is_hash(seen: Seen, dtype: torch.dtype) -> bool:
    """Check whether bits are shifted or multiplied away on purpose."""
    if seen.name in _SHIFTS:
        return torch.iinfo(dtype).bits > _BYTES
    y = seen.moments("other") if seen.name == "mul" else None
    return y is not None and y.constant() and y.most >= _MIXES and bool(y.hi % 2)


def _wide(seen: Seen) -> Moments | None:
    """Return what the result would be in whole numbers without ends: of known ones exactly, else by their moments."""
    tensor = seen.tensor("self")
    if seen.name in CASTS:
        # from integers a mask of bits is cut off on purpose
        rounds = tensor is not None and tensor.is_floating_point()
        return seen.moments("self") if rounds else None
    if seen.name in PLACES:
        added = seen.moments(PLACES[seen.name])
        many = at_a_place(seen) * (additions(tensor) if seen.in_place else 1)
        return None if added is None else summed(added, many)
    exact = None if seen.name == "pow" else in_float64(seen, partial(_known, seen))
    if exact is not None:
        return measured(exact)
    by = seen.moments("other")
    if seen.name == "sub" and by is not None and by.lo == by.hi == 1:
        return None  # labels that are shifted: what is 0 was set aside, most often
    found = _RULES[seen.name](seen)
    return found if isinstance(found, Moments) else None


def _known(seen: Seen, tensor: torch.Tensor) -> torch.Tensor | None:
    before = seen.in_place and tensor is seen.given["self"]
    known = seen.before if before else numbers(tensor)
    return None if known is None else known.to(torch.float64)


def _shifted(seen: Seen) -> Moments | None:
    x, bits = seen.moments("self"), seen.number("other")
    return None if x is None or bits is None else product(x, constant(2.0**bits))


_RULES = {
    **{
        name: rule
        for file in (arithmetic, functions, products, reductions)
        for name, rule in file.RULES.items()
    },
    **dict.fromkeys(_SHIFTS, _shifted),
}
OPS = CASTS | _SHIFTS | {
    "add", "sub", "rsub", "mul", "neg", "pow", "sum", "cumsum", "mm", "bmm", "matmul", "mv", "dot", "linear", *PLACES,
}  # fmt: skip
