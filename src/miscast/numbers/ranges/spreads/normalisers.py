"""Softmax, and what gives numbers a mean of 0 and a size of 1."""

from __future__ import annotations

import math

from ....core.moments import Moments, product, total
from ..seen import Seen


def _softmax(seen: Seen) -> Moments | None:
    """Return the value range of probabilities; the least belongs to the lowest typical score."""
    x, tensor, dim = seen.moments("self"), seen.tensor("self"), seen.given.get("dim")
    if x is None or tensor is None or not isinstance(dim, int) or not tensor.dim():
        return None
    count = tensor.shape[dim]
    lo, hi = x.typical()
    if not count or math.isinf(lo) or math.isinf(hi):
        return None
    size = math.exp(min(x.spread**2 / 2, 50.0))  # of the mean of exp(score - mean)
    least = math.exp(max(lo - x.mean, -700.0)) / (count * size)
    share = math.sqrt(math.exp(min(x.spread**2, 50.0))) / count
    return Moments(
        lo=min(least, 1.0), hi=1.0, mean=1.0 / count, rms=min(1.0, share) or 1.0 / count
    )


def _log_softmax(seen: Seen) -> Moments | None:
    x, tensor, dim = seen.moments("self"), seen.tensor("self"), seen.given.get("dim")
    if x is None or tensor is None or not isinstance(dim, int) or not tensor.dim():
        return None
    log = math.log(tensor.shape[dim]) + min(x.spread**2 / 2, x.hi - x.mean)
    lo, hi = x.lo - x.hi - math.log(tensor.shape[dim]), 0.0
    mean = max(lo, -log)
    return Moments(lo=lo, hi=hi, mean=mean, rms=math.hypot(mean, x.spread))


def _normalised(seen: Seen) -> Moments | None:
    """Return the value range of numbers with mean 0 and size 1, times a weight, plus a bias."""
    found = Moments(lo=-40.0, hi=40.0, mean=0.0, rms=1.0)
    if seen.tensor("weight") is not None:
        weight = seen.moments("weight")
        if weight is None:
            return None
        found = product(found, weight)
    if seen.tensor("bias") is not None:
        bias = seen.moments("bias")
        if bias is None:
            return None
        found = total(found, bias)
    return found


_NORMS = (
    "layer_norm", "native_layer_norm", "group_norm", "native_group_norm", "batch_norm", "instance_norm", "rms_norm",
)  # fmt: skip
RULES = {
    "softmax": _softmax,
    "_softmax": _softmax,
    "log_softmax": _log_softmax,
    "_log_softmax": _log_softmax,
    **dict.fromkeys(_NORMS, _normalised),
}
