"""Sums, means and extremes over dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable

from ....core.moments import Moments, between, summed, through
from ..seen import Seen
from .arithmetic import squared


def _terms(seen: Seen) -> int:
    """Return how many numbers become one."""
    tensor, out = seen.tensor("self"), seen.tensor("out")
    if tensor is None or out is None or not out.numel():
        return 0
    return tensor.numel() // out.numel()


def _sum(seen: Seen) -> Moments | None:
    x, count = seen.moments("self"), _terms(seen)
    return None if x is None or not count else summed(x, count)


def _mean(seen: Seen) -> Moments | None:
    x, count = seen.moments("self"), _terms(seen)
    if x is None or not count or seen.given.get("divisor_override") is not None:
        return None
    return Moments(
        lo=min(x.lo, 0.0) if "pool" in seen.name else x.lo,
        hi=max(x.hi, 0.0) if "pool" in seen.name else x.hi,
        mean=x.mean,
        rms=math.sqrt(x.mean**2 + x.spread**2 / count),
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
    """Return the largest or the least: somewhere within."""
    x = seen.moments("self")
    if x is None or seen.given.get("other") is not None:
        return None
    return Moments(
        lo=x.lo, hi=x.hi, mean=x.mean, rms=max(x.rms, abs(x.mean)), whole=x.whole
    )


def _running(seen: Seen) -> Moments | None:
    """Return a running sum: at its end that of all."""
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


def _two(first: _Rule, second: _Rule) -> Callable[[Seen], tuple[Moments | None, ...]]:
    """Return a rule for an op with two results."""
    return lambda seen: (first(seen), second(seen))


def _extreme_and_place(seen: Seen) -> Moments | tuple[Moments | None, ...] | None:
    """Return the value range of `max` of all or, with the indices, along a dimension; None for two tensors."""
    if "other" in seen.given:
        return None
    if "dim" not in seen.given:
        return _extreme(seen)
    tensor, dim = seen.tensor("self"), seen.given["dim"]
    if tensor is None or not isinstance(dim, int) or not tensor.dim():
        return None
    return _extreme(seen), between(0.0, tensor.shape[dim] - 1.0, whole=True)


def _any(seen: Seen) -> Moments | None:
    del seen
    return Moments(lo=0.0, hi=1.0, mean=0.5, rms=math.sqrt(0.5), whole=True)


def _count(seen: Seen) -> Moments | None:
    many = _terms(seen)
    return (
        Moments(lo=0.0, hi=many, mean=many / 2, rms=many / math.sqrt(3), whole=True)
        if many
        else None
    )


def _log_of_sum(seen: Seen) -> Moments | None:
    """Return the value range of log-sum-exp, above the largest number by at most the logarithm of the count."""
    x, count = seen.moments("self"), _terms(seen)
    if x is None or not count:
        return None
    more = math.log(count)
    mean = min(x.mean + more + x.spread**2 / 2, x.hi + more)
    rms = math.hypot(mean, x.spread / math.sqrt(count))
    return Moments(lo=x.lo + more, hi=x.hi + more, mean=mean, rms=rms)


def _trace(seen: Seen) -> Moments | None:
    x, tensor = seen.moments("self"), seen.tensor("self")
    return None if x is None or tensor is None else summed(x, min(tensor.shape))


_Rule = Callable[[Seen], Moments | None]
_MEANS = (
    "mean", "nanmean", "avg_pool1d", "avg_pool2d", "avg_pool3d", "adaptive_avg_pool1d", "adaptive_avg_pool2d",
    "adaptive_avg_pool3d", "_adaptive_avg_pool2d", "_adaptive_avg_pool3d",
)  # fmt: skip
_LARGEST = (
    "max_pool1d", "max_pool2d", "max_pool3d", "max_pool2d_with_indices", "max_pool3d_with_indices",
    "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d", "fractional_max_pool2d",
    "fractional_max_pool3d", "amax", "amin", "max_pool1d_with_indices",
)  # fmt: skip


def _largest(seen: Seen) -> tuple[Moments | None, ...] | Moments | None:
    found = _extreme(seen)
    return (found, None) if isinstance(seen.out, (list, tuple)) else found


RULES = {
    **dict.fromkeys(_MEANS, _mean),
    **dict.fromkeys(_LARGEST, _largest),
    **dict.fromkeys(("max", "min"), _extreme_and_place),
    **dict.fromkeys(("any", "all"), _any),
    "sum": _sum,
    "nansum": _sum,
    "linalg_vector_norm": _norm,
    "norm": _norm,
    "var": _variance,
    "std": _deviation,
    "var_mean": _two(_variance, _mean),
    "std_mean": _two(_deviation, _mean),
    "aminmax": _two(_extreme, _extreme),
    "cumsum": _running,
    "count_nonzero": _count,
    "logsumexp": _log_of_sum,
    "trace": _trace,
}
