"""A difference of numbers that are nearly the same: what they differ by is what their dtype rounded off."""

from __future__ import annotations

import torch

from ..loss import HALF, PRECISION, Lost, short, spelled
from ..seen import Seen

OPS = frozenset({"sub", "add", "rsub", "log"})
_SHARE = 0.05
"""Of the result, by which it must be off."""


def find(seen: Seen) -> Lost | None:
    """A result that is mostly the rounding of what it was made of."""
    dtype = seen.dtype
    if dtype not in HALF or seen.in_place:
        return None
    if seen.name == "log":
        return _of_one_plus(seen, dtype)
    if seen.related("self", "other"):
        return None
    x, y, out = seen.moments("self"), seen.moments("other"), seen.moments("out")
    if x is None or y is None or out is None or (x.constant() and y.constant()):
        return None
    large = max(x.rms, y.rms)
    # the numbers themselves were rounded when they were made; only what an op of this dtype gave has lost by it
    if not all(_computed(seen, name) for name in ("self", "other")):
        return None
    error = large * 2.0 ** -PRECISION[dtype] * 0.5
    if not out.rms > 0 or error < _SHARE * out.rms:
        return None
    return Lost(
        rule="difference-cancels",
        operand="self",
        wanted="float32",
        figures=f"numbers of {spelled(large)} leave {spelled(out.rms)}, and {short(dtype)} has rounded each by up "
        f"to {spelled(2 * error)}",
    )


def _of_one_plus(seen: Seen, dtype: torch.dtype) -> Lost | None:
    """The logarithm of 1 and a little: the sum has rounded the little away."""
    x = seen.moments("self")
    near = 2.0 ** -(PRECISION[dtype] - 3)
    if x is None or seen.made_by("self") not in ("add", "sub", "rsub") or x.constant():
        return None
    lo, hi = x.typical()
    if max(abs(lo - 1), abs(hi - 1)) > near:
        return None
    return Lost(
        rule="difference-cancels",
        operand="self",
        wanted="float32",
        figures=f"numbers within {spelled(max(abs(lo - 1), abs(hi - 1)))} of 1 were rounded to multiples of "
        f"{spelled(2.0 ** -(PRECISION[dtype] - 1))} in {short(dtype)}; log1p of what is added keeps them",
    )


def _computed(seen: Seen, name: str) -> bool:
    """Whether an operand came from arithmetic in a half dtype; a constant has no rounding of its own."""
    value = seen.given.get(name)
    return not isinstance(value, torch.Tensor) or seen.made_by(name) in _ARITHMETIC


_ARITHMETIC = frozenset({
    "add", "sub", "mul", "div", "pow", "exp", "mean", "sum", "square", "sqrt", "rsqrt", "matmul", "mm", "bmm", "linear",
    "log", "sigmoid", "tanh", "cumprod", "var", "std", "norm",
})  # fmt: skip
