"""Functions of each number by itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from ....core.moments import Moments, constant, product, through
from ..seen import Seen

_Scalar = Callable[[float], float]


def _sigmoid(v: float) -> float:
    return 1.0 / (1.0 + math.exp(-v)) if v > -700 else 0.0


def _gelu(v: float) -> float:
    return v * 0.5 * (1.0 + math.erf(v / math.sqrt(2.0)))


def _softplus(v: float) -> float:
    return v if v > 30 else math.log1p(math.exp(v))


_EVERYWHERE: dict[str, _Scalar] = {
    "relu": lambda v: max(v, 0.0),
    "relu6": lambda v: min(max(v, 0.0), 6.0),
    "sigmoid": _sigmoid,
    "tanh": math.tanh,
    "exp": math.exp,
    "exp2": lambda v: 2.0**v,
    "expm1": math.expm1,
    "erf": math.erf,
    "erfc": math.erfc,
    "atan": math.atan,
    "asinh": math.asinh,
    "sinh": math.sinh,
    "log_sigmoid": lambda v: -_softplus(-v),
    "abs": abs,
    "hardsigmoid": lambda v: min(max(v / 6.0 + 0.5, 0.0), 1.0),
    "softsign": lambda v: v / (1.0 + abs(v)),
    "deg2rad": math.radians,
    "rad2deg": math.degrees,
    "cosh": math.cosh,
}
_FROM_ZERO: dict[str, _Scalar] = {"sqrt": math.sqrt}
_ABOVE_ZERO: dict[str, _Scalar] = {
    "log": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "rsqrt": lambda v: v**-0.5,
    "reciprocal": lambda v: 1.0 / v,
}
_BENT: dict[str, tuple[_Scalar, float]] = {
    "gelu": (_gelu, -0.17),
    "silu": (lambda v: v * _sigmoid(v), -0.279),
    "mish": (lambda v: v * math.tanh(_softplus(v)), -0.31),
    "hardswish": (lambda v: v * min(max(v + 3.0, 0.0), 6.0) / 6.0, -0.375),
}
"""With the least that they give where their argument is below 0."""
_ROOM = 1e-3
_WHOLE: dict[str, _Scalar] = {
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
    "trunc": math.trunc,
}


def _apply(
    function: _Scalar, seen: Seen, *, whole: bool = False, above: float = -math.inf
) -> Moments | None:
    x = seen.moments("self")
    if x is None or x.lo < above or seen.given.get("decimals"):
        return None
    return through(x, function, whole=whole)


def _positive(function: _Scalar, seen: Seen) -> Moments | None:
    x = seen.moments("self")
    return None if x is None or x.lo <= 0.0 else through(x, function)


def _bent(function: _Scalar, least: float, seen: Seen) -> Moments | None:
    x = seen.moments("self")
    found = None if x is None else through(x, function)
    if x is None or found is None or x.lo >= 0.0 or math.isinf(least):
        return found
    return Moments(
        lo=min(found.lo, least),
        hi=found.hi + _ROOM * abs(found.hi),  # gelu has two formulas
        mean=found.mean,
        rms=found.rms,
        certain=False,
    )


def _wave(function: _Scalar, seen: Seen) -> Moments | None:
    """Return a sine or cosine; of angles that go round more than once all the same."""
    x = seen.moments("self")
    if x is None:
        return None
    near = None if x.spread > math.pi / 2 else through(x, function)
    if near is None:
        return Moments(lo=-1.0, hi=1.0, mean=0.0, rms=math.sqrt(0.5))
    return Moments(lo=-1.0, hi=1.0, mean=near.mean, rms=near.rms)


def _sign(seen: Seen) -> Moments | None:
    """Return the value range of signs: -1 to 1 for any floating-point numbers, of which few are 0."""
    tensor = seen.tensor("self")
    found = _apply(lambda v: float((v > 0) - (v < 0)), seen)
    if found is not None or tensor is None or not tensor.is_floating_point():
        return found
    return Moments(lo=-1.0, hi=1.0, mean=0.0, rms=1.0, whole=True)


def _negated(seen: Seen) -> Moments | None:
    x = seen.moments("self")
    return None if x is None else product(x, constant(-1.0))


def _dropped(seen: Seen) -> Moments | None:
    """Return the value range after dropout, which keeps fewer and larger numbers."""
    x = seen.moments("self") or seen.moments("input")
    share = seen.number("p")
    if x is None or share is None or not 0 <= share < 1:
        return None
    if not seen.given.get("train", seen.given.get("training", True)):
        return x
    scale = 1.0 / (1.0 - share)
    return Moments(
        lo=min(0.0, x.lo * scale),
        hi=max(0.0, x.hi * scale),
        mean=x.mean,
        rms=x.rms * math.sqrt(scale),
    )


RULES = {
    **{name: partial(_apply, function) for name, function in _EVERYWHERE.items()},
    **{
        name: partial(_apply, function, above=0.0)
        for name, function in _FROM_ZERO.items()
    },
    **{name: partial(_positive, function) for name, function in _ABOVE_ZERO.items()},
    **{name: partial(_bent, *known) for name, known in _BENT.items()},
    **{
        name: partial(_apply, function, whole=True) for name, function in _WHOLE.items()
    },
    "sin": partial(_wave, math.sin),
    "cos": partial(_wave, math.cos),
    "neg": _negated,
    "sign": _sign,
    "sgn": _sign,
    "dropout": _dropped,
    "native_dropout": _dropped,
}
