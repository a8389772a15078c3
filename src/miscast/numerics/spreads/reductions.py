"""Sums, means and extremes over dimensions."""

from __future__ import annotations

import math

from ...moments import Moments, summed, through
from ..seen import Seen
from .arithmetic import squared


def _terms(seen: Seen) -> int:
    """How many numbers become one."""
    tensor, out = seen.tensor("self"), seen.tensor("out")
    if tensor is None or out is None or not out.numel():
        return 0
    return tensor.numel() // out.numel()


def _sum(seen: Seen) -> Moments | None:
    x, count = seen.moments("self"), _terms(seen)
    return None if x is None or not count else summed(x, count)


def _mean(seen: Seen) -> Moments | None:
    x, count = seen.moments("self"), _terms(seen)
    if x is None or not count:
        return None
    return Moments(
        lo=x.lo, hi=x.hi, mean=x.mean, rms=math.sqrt(x.mean**2 + x.spread**2 / count)
    )


def _norm(seen: Seen) -> Moments | None:
    x, count, order = seen.moments("self"), _terms(seen), seen.given.get("ord", 2)
    if x is None or not count or order not in (2, 2.0):
        return None
    squares = summed(squared(x), count)
    return through(squares, lambda v: math.sqrt(max(v, 0.0)))


def _variance(seen: Seen) -> Moments | None:
    x, count = seen.moments("self"), _terms(seen)
    if x is None or count < 2:
        return None
    width = x.hi - x.lo
    return Moments(
        lo=0.0,
        hi=width * width,
        mean=x.spread**2,
        rms=x.spread**2 * math.sqrt(1 + 2 / count),
    )


def _deviation(seen: Seen) -> Moments | None:
    found = _variance(seen)
    return None if found is None else through(found, lambda v: math.sqrt(max(v, 0.0)))


def _extreme(seen: Seen) -> Moments | None:
    """The largest or the least: somewhere within."""
    x = seen.moments("self")
    if x is None or seen.given.get("other") is not None:
        return None
    return Moments(
        lo=x.lo, hi=x.hi, mean=x.mean, rms=max(x.rms, abs(x.mean)), whole=x.whole
    )


def _running(seen: Seen) -> Moments | None:
    """A running sum: at its end that of all."""
    tensor, dim = seen.tensor("self"), seen.given.get("dim")
    x = seen.moments("self")
    if tensor is None or x is None or not isinstance(dim, int) or not tensor.dim():
        return None
    last = summed(x, tensor.shape[dim])
    return Moments(
        lo=min(x.lo, last.lo),
        hi=max(x.hi, last.hi),
        mean=last.mean / 2,
        rms=max(last.rms / math.sqrt(3.0), abs(last.mean / 2)),
        whole=x.whole,
    )


RULES = {
    "sum": _sum,
    "mean": _mean,
    "linalg_vector_norm": _norm,
    "norm": _norm,
    "var": _variance,
    "std": _deviation,
    "amax": _extreme,
    "amin": _extreme,
    "cumsum": _running,
    "avg_pool2d": _mean,
    "adaptive_avg_pool2d": _mean,
    "max_pool2d": lambda seen: seen.moments("self"),
}
