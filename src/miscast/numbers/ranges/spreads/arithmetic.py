"""Sums, products, powers, and what clamps or chooses."""

from __future__ import annotations

import math
from dataclasses import replace

from ....core.moments import Moments, constant, mixed, product, through, total
from ..seen import Seen

_NEAR_ZERO = 1e-3
"""Share of a divisor's size, below which the divisor says nothing about the result."""


def _pair(seen: Seen) -> tuple[Moments, Moments] | None:
    x, y = seen.moments("self"), seen.moments("other")
    return None if x is None or y is None else (x, y)


def _scaled(y: Moments, seen: Seen, sign: float) -> Moments:
    alpha = seen.number("alpha")
    return product(y, constant(sign * (1.0 if alpha is None else alpha)))


def _add(seen: Seen) -> Moments | None:
    pair = _pair(seen)
    if pair is None:
        return None
    if seen.given.get("self") is seen.given.get("other"):
        return product(pair[0], constant(2.0))
    return total(pair[0], _scaled(pair[1], seen, 1.0))


def _sub(seen: Seen) -> Moments | None:
    pair = _pair(seen)
    if pair is None or seen.given.get("self") is seen.given.get("other"):
        return None
    return total(pair[0], _scaled(pair[1], seen, -1.0))


def _rsub(seen: Seen) -> Moments | None:
    pair = _pair(seen)
    return None if pair is None else total(pair[1], _scaled(pair[0], seen, -1.0))


def _mul(seen: Seen) -> Moments | None:
    pair = _pair(seen)
    if pair is None:
        return None
    if seen.given.get("self") is seen.given.get("other"):
        return squared(pair[0])
    return product(*pair)


def squared(x: Moments) -> Moments:
    """Return the value range of the squares, assuming a normal distribution."""
    least = 0.0 if x.lo <= 0.0 <= x.hi else min(x.lo * x.lo, x.hi * x.hi)
    most, mean, spread = x.most * x.most, x.mean, x.spread
    fourth = mean**4 + 6 * mean**2 * spread**2 + 3 * spread**4
    size = min(math.sqrt(fourth), most)
    return Moments(
        lo=least,
        hi=most,
        mean=x.rms**2,
        rms=max(size, x.rms**2),
        whole=x.whole,
        certain=x.certain,
    )


def _div(seen: Seen) -> Moments | None:
    pair = _pair(seen)
    if pair is None or seen.given.get("rounding_mode"):
        return None
    x, y = pair
    lo, hi = y.typical()
    if y.lo <= 0.0 <= y.hi or min(abs(lo), abs(hi)) < _NEAR_ZERO * y.rms:
        return None  # a division by nearly zero cannot be excluded: anything may come
    inverse = through(y, lambda v: 1.0 / v)
    return None if inverse is None else replace(product(x, inverse), whole=False)


def _power(seen: Seen) -> Moments | None:
    x, exponent = seen.moments("self"), seen.number("exponent")
    if x is not None and exponent is not None:
        if exponent == 2:
            return squared(x)
        if x.lo < 0 and not float(exponent).is_integer():
            return None
        if x.lo <= 0.0 <= x.hi and exponent < 0:
            return None
        return through(x, lambda v: v**exponent)
    base, y = seen.number("self"), seen.moments("exponent")
    if base is None or y is None or base <= 0:
        return None
    return through(y, lambda v: base**v)


def _lerp(seen: Seen) -> Moments | None:
    x, y, weight = seen.moments("self"), seen.moments("end"), seen.number("weight")
    if x is None or y is None or weight is None:
        return None
    return total(product(x, constant(1.0 - weight)), product(y, constant(weight)))


def _clamp(seen: Seen) -> Moments | None:
    x = seen.moments("self")
    lo, hi = seen.number("min"), seen.number("max")
    if x is None or (
        lo is None and "min" in seen.given and seen.given["min"] is not None
    ):
        return None
    if hi is None and seen.given.get("max") is not None:
        return None
    low = -math.inf if lo is None else lo
    high = math.inf if hi is None else hi
    if low > high:
        return None
    return through(x, lambda v: max(low, min(high, v)), whole=x.whole)


def _chosen(seen: Seen) -> Moments | None:
    pair = _pair(seen)
    return None if pair is None else _both(*pair)


def _both(x: Moments, y: Moments) -> Moments | None:
    """Return the value range of a choice of either, assuming half of each; None if one has infinities, as a mask."""
    if math.isinf(x.most) or math.isinf(y.most):
        return None
    return mixed([(x, 0.5), (y, 0.5)])


def _filled(seen: Seen) -> Moments | None:
    """Return the value range with masked elements replaced; masking values (-1e9, -inf) are left out."""
    x, value = seen.moments("self"), seen.number("value")
    if x is None or value is None or abs(value) > max(1e4, 100 * x.most):
        return x
    return mixed([(x, 0.5), (constant(value), 0.5)])


def of_both(seen: Seen) -> Moments | None:
    """Return the value range of the products that `addcmul` adds, before their factor."""
    a, b = seen.moments("tensor1"), seen.moments("tensor2")
    if a is None or b is None:
        return None
    square = seen.given.get("tensor1") is seen.given.get("tensor2")
    return squared(a) if square else product(a, b)


def _addcmul(seen: Seen) -> Moments | None:
    x, both, value = seen.moments("self"), of_both(seen), seen.number("value")
    if x is None or both is None:
        return None
    return total(x, product(both, constant(1.0 if value is None else value)))


RULES = {
    "add": _add,
    "sub": _sub,
    "rsub": _rsub,
    "mul": _mul,
    "multiply": _mul,
    "div": _div,
    "true_divide": _div,
    "pow": _power,
    "square": lambda seen: None if (x := seen.moments("self")) is None else squared(x),
    "lerp": _lerp,
    "clamp": _clamp,
    "clamp_min": _clamp,
    "clamp_max": _clamp,
    "where": _chosen,
    "masked_fill": _filled,
    "addcmul": _addcmul,
}
