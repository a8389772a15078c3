"""Matrix products, convolutions and attention: sums of many products."""

from __future__ import annotations

import math

from ....core.moments import Moments, constant, product, summed, total
from ..names import MATRICES, PRODUCTS
from ..seen import Seen


def products(x: Moments | None, y: Moments | None, terms: int) -> Moments | None:
    """Return the value range of sums of `terms` products of independent numbers."""
    return None if x is None or y is None or not terms else summed(product(x, y), terms)


def gain(seen: Seen) -> Moments | None:
    """Return the value range of the products of matrices in a call, before what they are added to or scaled by."""
    first, second = MATRICES[seen.name]
    left = seen.tensor(first)
    if left is None or not left.dim():
        return None
    terms = 1 if seen.name == "addr" else left.shape[-1]
    if seen.name == "addbmm":
        terms *= left.shape[0]
    return products(seen.moments(first), seen.moments(second), terms)


def _added(seen: Seen) -> Moments | None:
    found, bias = gain(seen), seen.moments("self")
    if found is None or bias is None:
        return None
    return total(
        _scaled(found, seen.number("alpha")), _scaled(bias, seen.number("beta"))
    )


def _scaled(x: Moments, by: float | None) -> Moments:
    return x if by is None else product(x, constant(by))


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
    **dict.fromkeys(("mm", "bmm", "matmul", "mv", "dot"), gain),
    **dict.fromkeys(PRODUCTS, _added),
    "linear": _linear,
    "conv1d": _convolution,
    "conv2d": _convolution,
    "conv3d": _convolution,
    "convolution": _convolution,
    "conv_transpose2d": _transposed,
    "scaled_dot_product_attention": _attention,
}
