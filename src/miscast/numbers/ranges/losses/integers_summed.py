"""Integers that are summed, or shifted, in a dtype that is too narrow for the result."""

from __future__ import annotations

import torch

from ....core.moments import Moments, constant, product, summed
from ..loss import INTEGERS, Lost, short, spelled
from ..names import PLACES, additions, at_a_place
from ..seen import Seen, apply, measured

_SUMS = frozenset({"sum", "cumsum"})
_PRODUCTS = frozenset({"mm", "bmm", "matmul", "mv", "dot", "linear"})
_SHIFTS = frozenset({"__lshift__", "bitwise_left_shift"})
OPS = _SUMS | _PRODUCTS | _SHIFTS | frozenset(PLACES)
_NARROW = INTEGERS - {torch.int64}
_BYTES = 16
"""Bits: what is shifted out of a wider integer is most often a hash's."""


def find(seen: Seen) -> Lost | None:
    """Return a precision loss if a sum of valid terms exceeds its dtype's range."""
    dtype = seen.dtype
    if dtype not in _NARROW:
        return None
    if seen.name in _SHIFTS and torch.iinfo(dtype).bits > _BYTES:
        return None
    wide = _wide(seen)
    if wide is None:
        return None
    limits = torch.iinfo(dtype)
    lo, hi = wide.typical()
    if limits.min <= lo and hi <= limits.max:
        return None
    far = hi if hi > limits.max else lo
    return Lost(
        rule="integer-wraps",
        operand="self" if seen.tensor("self") is not None else "input",
        wanted="int64" if dtype is torch.int32 else "int32",
        figures=f"numbers reach {spelled(far)}, but {short(dtype)} ends at "
        f"{limits.max if hi > limits.max else limits.min}",
    )


def _wide(seen: Seen) -> Moments | None:
    exact = None if seen.name in PLACES else _exactly(seen)
    if exact is not None:
        return exact
    if seen.name in PLACES:
        added, target = seen.moments(PLACES[seen.name]), seen.tensor("self")
        many = at_a_place(seen) * (additions(target) if seen.in_place else 1)
        return None if added is None else summed(added, many)
    name = "self" if "self" in seen.given else "input"
    x, tensor, out = seen.moments(name), seen.tensor(name), seen.tensor("out")
    if x is None or tensor is None or out is None or not out.numel():
        return None
    if seen.name == "sum":
        return summed(x, tensor.numel() // out.numel())
    if seen.name == "cumsum":
        dim = seen.given.get("dim")
        whole = isinstance(dim, int) and tensor.dim()
        return summed(x, tensor.shape[int(dim or 0)]) if whole else None
    if seen.name in _SHIFTS:
        bits = seen.number("other")
        return None if bits is None else product(x, constant(2.0**bits))
    return _sum_of_products(seen, x, tensor)


def _sum_of_products(seen: Seen, x: Moments, tensor: torch.Tensor) -> Moments | None:
    names = ("mat2", "other", "vec", "tensor", "weight")
    y = seen.moments(next((n for n in names if n in seen.given), ""))
    count = tensor.shape[-1] if tensor.dim() else 1
    return None if y is None else summed(product(x, y), count)


def _exactly(seen: Seen) -> Moments | None:
    """Return the result in float64, where all numbers are known."""
    given = {}
    for name, value in seen.given.items():
        known = seen.known(name) if isinstance(value, torch.Tensor) else None
        if isinstance(value, torch.Tensor) and known is None:
            return None
        given[name] = value if known is None else known.to(torch.float64)
    if seen.name in _SHIFTS:
        bits = seen.number("other")
        x = given.get("self")
        known_all = isinstance(x, torch.Tensor) and bits is not None
        return measured(x * 2.0 ** (bits or 0.0)) if known_all else None
    if isinstance(given.get("dtype"), torch.dtype):
        given["dtype"] = torch.float64
    op = getattr(torch.ops.aten, seen.name, None)
    found = None if op is None else apply(given, op)
    return None if found is None else measured(found)
