"""Statistics of a tensor whose values are unknown: bounds, mean, size, whether all are integers.

    >>> x = Moments(lo=-4.5, hi=4.5, mean=0.0, rms=1.0)
    >>> x.typical()
    (-4.5, 4.5)

`lo` and `hi` bound every number; `certain` says that some number is as large as the larger of them, so that a bound
that a dtype cannot hold is no mere possibility. `mean` and `rms` (the root of the mean square) are those of the whole
tensor. Nothing here is a promise about one number: what is told of moments is told of the typical range.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

_SIGMAS = 4.5
"""Typical maximum distance of a large tensor's values from the mean, in standard deviations.

One in 150,000 normal values exceeds it.
"""
_HUGE = 1e150
_POINTS = (-4.5, -3.0, -2.0, -1.5, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.5)  # fmt: skip
_SHARES = (3e-6, 0.004, 0.05, 0.06, 0.12, 0.15, 0.1, 0.03, 0.1, 0.15, 0.12, 0.06, 0.05, 0.004, 3e-6)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Moments:
    """Bounds, mean and root mean square of a tensor's numbers."""

    lo: float
    hi: float
    mean: float
    rms: float
    whole: bool = False
    certain: bool = False

    @property
    def spread(self) -> float:
        """The standard deviation."""
        rms, mean = min(abs(self.rms), _HUGE), max(-_HUGE, min(_HUGE, self.mean))
        return math.sqrt(max(rms * rms - mean * mean, 0.0))

    @property
    def most(self) -> float:
        """The largest absolute value that any number can have."""
        return max(abs(self.lo), abs(self.hi))

    def typical(self) -> tuple[float, float]:
        """Return the range of all but a few in a hundred thousand numbers; the bounds, if these are reached."""
        if self.certain:
            return self.lo, self.hi
        far = _SIGMAS * self.spread
        return max(self.lo, self.mean - far), min(self.hi, self.mean + far)

    def constant(self) -> bool:
        """Check whether there is one number only."""
        return self.lo == self.hi


def constant(value: float) -> Moments:
    """Return the value range of one number."""
    number = float(value)
    return Moments(
        lo=number,
        hi=number,
        mean=number,
        rms=abs(number),
        whole=number.is_integer(),
        certain=True,
    )


def between(lo: float, hi: float, *, whole: bool = False) -> Moments:
    """Return the value range of evenly distributed numbers."""
    mean = (lo + hi) / 2
    square = (lo * lo + lo * hi + hi * hi) / 3
    return Moments(
        lo=lo, hi=hi, mean=mean, rms=math.sqrt(max(square, mean * mean)), whole=whole
    )


def normal(mean: float, deviation: float) -> Moments:
    """Return the value range of normally distributed numbers; samples are within six deviations."""
    far = 6 * abs(deviation)
    return Moments(
        lo=mean - far, hi=mean + far, mean=mean, rms=math.hypot(mean, deviation)
    )


def product(x: Moments, y: Moments) -> Moments:
    """Return the value range of the products of independent numbers."""
    ends = [_times(a, b) for a in (x.lo, x.hi) for b in (y.lo, y.hi)]
    fixed = x.constant() or y.constant()
    return Moments(
        lo=min(ends),
        hi=max(ends),
        mean=x.mean * y.mean,
        rms=x.rms * y.rms,
        whole=x.whole and y.whole,
        certain=x.certain and y.certain and fixed,
    )


def total(x: Moments, y: Moments) -> Moments:
    """Return the value range of the sums of independent numbers."""
    mean = x.mean + y.mean
    fixed = x.constant() or y.constant()
    return Moments(
        lo=x.lo + y.lo,
        hi=x.hi + y.hi,
        mean=mean,
        rms=math.sqrt(mean * mean + x.spread**2 + y.spread**2),
        whole=x.whole and y.whole,
        certain=x.certain and y.certain and fixed,
    )


def summed(x: Moments, count: int) -> Moments:
    """Return the value range of sums of `count` numbers each."""
    mean = count * x.mean
    return Moments(
        lo=count * x.lo,
        hi=count * x.hi,
        mean=mean,
        rms=math.sqrt(mean * mean + count * x.spread**2),
        whole=x.whole,
        certain=x.certain and x.constant(),
    )


def mixed(parts: list[tuple[Moments, float]]) -> Moments:
    """Return the value range of a tensor with several kinds of numbers, each with its share (shares add up to one)."""
    widest = max(parts, key=lambda part: part[0].most)[0]
    return Moments(
        lo=min(x.lo for x, _ in parts),
        hi=max(x.hi for x, _ in parts),
        mean=sum(x.mean * share for x, share in parts),
        rms=math.sqrt(sum(x.rms**2 * share for x, share in parts)),
        whole=all(x.whole for x, _ in parts),
        certain=widest.certain,
    )


def weighted(x: Moments) -> list[tuple[float, float]]:
    """Return points of the typical range, and the share of the numbers around each."""
    lo, hi = x.typical()
    mean, spread = max(lo, min(hi, x.mean)), x.spread
    points = [min(hi, max(lo, mean + z * spread)) for z in _POINTS]
    return list(zip(points, _SHARES, strict=True))


def through(
    x: Moments, function: Callable[[float], float], *, whole: bool = False
) -> Moments | None:
    """Return the value range of a function of each number, which is monotonic or has its extremes at 0 or an end."""
    middle = (0.0,) if x.lo < 0.0 < x.hi else ()
    ends = _known(function, ((at, 0.0) for at in (x.lo, x.hi, *middle)))
    found = _known(function, weighted(x))
    if not found or not ends:
        return None
    weight = sum(share for _, share in found)
    finite = [(max(-_HUGE, min(_HUGE, v)), share / weight) for v, share in found]
    values = [v for v, _ in (*ends, *finite)]
    return Moments(
        lo=min(values),
        hi=max(values),
        mean=sum(v * share for v, share in finite),
        rms=math.sqrt(sum(v * v * share for v, share in finite)),
        whole=whole,
        certain=x.certain,
    )


def _known(
    function: Callable[[float], float], points: Iterable[tuple[float, float]]
) -> list[tuple[float, float]]:
    """Return the function's values that are numbers, each with its share."""
    values = [(_value(function, at), share) for at, share in points]
    return [(value, share) for value, share in values if not math.isnan(value)]


def _times(a: float, b: float) -> float:
    return 0.0 if a == 0.0 or b == 0.0 else a * b


def _value(function: Callable[[float], float], at: float) -> float:
    try:
        return function(at)
    except OverflowError:
        return math.inf
    except (ValueError, ZeroDivisionError):
        return math.nan
