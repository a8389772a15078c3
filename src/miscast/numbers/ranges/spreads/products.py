"""Matrix products, convolutions and attention: sums of many products."""

from __future__ import annotations

import math

from ....core.moments import Moments, product, summed, total
from ..seen import Seen


def products(x: Moments | None, y: Moments | None, terms: int) -> Moments | None:
    """Return the value range of sums of `terms` products of independent numbers."""
    return None if x is None or y is None or not terms else summed(product(x, y), terms)


def _matmul(seen: Seen) -> Moments | None:
    left = seen.tensor("self")
    other = (
        "mat2"
        if "mat2" in seen.given
        else "other"
        if "other" in seen.given
        else "vec"
        if "vec" in seen.given
        else "tensor"
    )
    if left is None or not left.dim():
        return None
    return products(seen.moments("self"), seen.moments(other), left.shape[-1])


def _added(seen: Seen) -> Moments | None:
    first, second = ("batch1", "batch2") if "batch1" in seen.given else ("mat1", "mat2")
    left = seen.tensor(first)
    found = (
        None
        if left is None
        else products(seen.moments(first), seen.moments(second), left.shape[-1])
    )
    bias = seen.moments("self")
    return None if found is None or bias is None else total(found, bias)


def _linear(seen: Seen) -> Moments | None:
    return _weighted(seen, lambda shape: shape[-1])


def _convolution(seen: Seen) -> Moments | None:
    return _weighted(seen, lambda shape: math.prod(shape[1:]))


def _transposed(seen: Seen) -> Moments | None:
    return _weighted(seen, lambda shape: shape[0])


def _weighted(seen: Seen, terms: object) -> Moments | None:
    weight = seen.tensor("weight")
    if weight is None or not callable(terms):
        return None
    found = products(
        seen.moments("input"), seen.moments("weight"), int(terms(weight.shape))
    )
    if found is None or seen.tensor("bias") is None:
        return found
    bias = seen.moments("bias")
    return None if bias is None else total(found, bias)


def _attention(seen: Seen) -> Moments | None:
    """Return the value range of weighted means of the values; the weights add up to 1."""
    x = seen.moments("value")
    if seen.number("dropout_p"):
        return None
    return None if x is None else Moments(lo=x.lo, hi=x.hi, mean=x.mean, rms=x.rms)


RULES = {
    "mm": _matmul,
    "bmm": _matmul,
    "matmul": _matmul,
    "mv": _matmul,
    "dot": _matmul,
    "addmm": _added,
    "baddbmm": _added,
    "linear": _linear,
    "conv1d": _convolution,
    "conv2d": _convolution,
    "conv3d": _convolution,
    "convolution": _convolution,
    "conv_transpose2d": _transposed,
    "scaled_dot_product_attention": _attention,
}
