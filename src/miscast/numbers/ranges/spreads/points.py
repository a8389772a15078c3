"""Functions of which torch itself is asked, at points of the typical range: those that no formula here says better.

A bound is that of the points, and what lies between two of them is within a hundredth of the range.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import torch

from ....core.moments import Moments, summed, weighted
from ..seen import Seen, apply

_MANY = 96
_FAR = 1e18
_SUM = 2
_UNARY = (
    "acos", "asin", "atanh", "acosh", "digamma", "lgamma", "erfinv", "i0", "special_i0e", "special_i1", "special_i1e",
    "special_ndtr", "special_ndtri", "special_log_ndtr", "special_erfcx", "special_entr", "sinc", "log1p", "logit",
    "selu", "celu", "softshrink", "hardshrink", "threshold", "hardtanh", "special_bessel_j0", "special_bessel_j1",
    "special_bessel_y0", "special_bessel_y1", "special_airy_ai", "special_modified_bessel_i0", "elu", "leaky_relu",
    "special_modified_bessel_i1", "special_modified_bessel_k0", "special_modified_bessel_k1", "mvlgamma", "nan_to_num",
    "special_scaled_modified_bessel_k0", "special_scaled_modified_bessel_k1", "special_spherical_bessel_j0", "angle",
    "polygamma", "frac", "softplus", "positive", "rrelu",
)  # fmt: skip
_BINARY = (
    "atan2", "hypot", "logaddexp", "logaddexp2", "copysign", "floor_divide", "xlogy", "fmax", "fmin",
    "minimum", "maximum", "nextafter", "heaviside", "ldexp", "float_power", "special_xlog1py", "special_zeta", "igamma",
    "igammac", "special_chebyshev_polynomial_t", "special_chebyshev_polynomial_u", "special_hermite_polynomial_h",
    "special_hermite_polynomial_he", "special_laguerre_polynomial_l", "special_legendre_polynomial_p", "prelu",
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss", "binary_cross_entropy_with_logits",
    "poisson_nll_loss",
)  # fmt: skip
_LOSSES = frozenset({
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss", "binary_cross_entropy_with_logits",
    "poisson_nll_loss",
})  # fmt: skip
_SECOND = {
    **dict.fromkeys(_LOSSES, "target"),
    **{name: "n" for name in _BINARY if "polynomial" in name},
    "float_power": "exponent",
    "prelu": "weight",
}
_NO_TENSORS = ("weight", "pos_weight", "generator", "out")
"""Arguments that are left out: what they weigh, the moments do not know of."""


def _unary(seen: Seen) -> Moments | None:
    name = "self" if "self" in seen.given else "input"
    x = seen.moments(name)
    if x is None or not _far(x) < _FAR:
        return None
    lo, hi = x.typical()
    between = torch.linspace(lo, hi, _MANY, dtype=torch.float64)
    ends = torch.tensor([x.lo, x.hi, lo, hi], dtype=torch.float64)
    at = torch.tensor([p for p, _ in weighted(x)], dtype=torch.float64)
    found = apply(
        {**_rest(seen, name), name: torch.cat([at, between, ends])}, _op(seen)
    )
    return (
        None if found is None else _of(found, [share for _, share in weighted(x)], seen)
    )


def _binary(seen: Seen) -> Moments | None:
    name = "self" if "self" in seen.given else "input"
    second = _SECOND.get(seen.name, "other")
    if second not in seen.given:
        second = "exponent"
    x, y = seen.moments(name), seen.moments(second)
    if x is None or y is None or not _far(x) + _far(y) < _FAR:
        return None
    points = [(a, b, p * q) for a, p in weighted(x) for b, q in weighted(y)]
    shares = [share for *_, share in points]
    points += [(a, b, 0.0) for a in _ends(x) for b in _ends(y)]
    first, other, _ = torch.tensor(points, dtype=torch.float64).T.contiguous()
    rest = _rest(seen, name, second)
    if seen.name in _LOSSES:
        rest["reduction"] = 0
    found = apply({**rest, name: first, second: other}, _op(seen))
    return None if found is None else _of(found, shares, seen)


def _far(x: Moments) -> float:
    return abs(x.lo) + abs(x.hi)


def _ends(x: Moments) -> tuple[float, ...]:
    return (x.lo, x.hi, 0.0) if x.lo < 0.0 < x.hi else (x.lo, x.hi)


def _op(seen: Seen) -> Callable[..., object]:
    found: Callable[..., object] = getattr(torch.ops.aten, seen.name)
    return found


def _rest(seen: Seen, *but: str) -> dict[str, object]:
    """Return the other arguments, which are numbers."""
    left_out = (*but, *_NO_TENSORS) if seen.name != "prelu" else but
    return {name: value for name, value in seen.given.items() if name not in left_out}


def _of(values: torch.Tensor, each: list[float], seen: Seen) -> Moments | None:
    """Return the value range from values at points and their shares; values beyond the points only widen the bounds."""
    exact = values.detach().to(torch.float64)
    if not exact.numel() or not bool(exact.isfinite().all()):
        return None
    shares = torch.tensor(each, dtype=torch.float64)
    shares = shares / shares.sum()
    inner = exact[: len(each)]
    mean = float((inner * shares).sum())
    size = math.sqrt(float((inner.square() * shares).sum()))
    lo, hi = float(exact.min()), float(exact.max())
    room = (hi - lo) / _MANY
    found = Moments(
        lo=lo - room,
        hi=hi + room,
        mean=mean,
        rms=max(size, abs(mean)),
        whole=seen.name in ("floor_divide", "heaviside"),
    )
    return _reduced(found, seen) if seen.name in _LOSSES else found


def _reduced(x: Moments, seen: Seen) -> Moments:
    """Return the value range of a loss's mean or sum."""
    tensor = seen.tensor("self")
    reduction, count = seen.number("reduction"), 1 if tensor is None else tensor.numel()
    if reduction == 0:
        return x
    if reduction == _SUM:
        return summed(x, count)
    size = math.hypot(x.mean, x.spread / math.sqrt(max(count, 1)))
    return Moments(lo=x.lo, hi=x.hi, mean=x.mean, rms=size)


def _within(seen: Seen) -> Moments | None:
    """Return the value range of a remainder, which is smaller than the divisor."""
    x, y = seen.moments("self"), seen.moments("other")
    if x is None or y is None:
        return None
    most = y.most if seen.name == "remainder" else min(x.most, y.most)
    below = -most if x.lo < 0 or y.lo < 0 else 0.0
    mean = most / 2 if not below else 0.0
    return Moments(
        lo=below,
        hi=most,
        mean=mean,
        rms=most / math.sqrt(3.0),
        whole=x.whole and y.whole,
    )


RULES = {
    **{name: partial(_unary) for name in _UNARY},
    **{name: partial(_binary) for name in _BINARY},
    "fmod": _within,
    "remainder": _within,
}
