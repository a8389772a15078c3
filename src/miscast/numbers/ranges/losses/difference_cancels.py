"""A difference of numbers that are nearly the same: what they differ by is what their dtype rounded off."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch

from ....core.moments import Moments
from ....vm.provenance.record import find as find_record
from ..loss import HALF, PRECISION, Lost, short, spelled, wider
from ..names import ALIKE, COMPLEMENT, MATRICES, PROBABLE, SQUARE, SQUARED
from ..seen import Seen, in_float64, numbers

_WITH_PRODUCTS = frozenset({
    "addmm", "baddbmm", "addbmm", "addmv", "addr", "addcmul", "cdist", "_cdist_forward",
})  # fmt: skip
"""What takes products off a tensor, or expands a distance into them."""
OPS = _WITH_PRODUCTS | {"sub", "add", "rsub", "log", "div", "logit", "acosh"}
WIDENS = True
_SUMS = frozenset({"sub", "add", "rsub"})
_MEANS = frozenset({"mean", "square", "pow", "mul"})
_LOGS = frozenset({"log_softmax", "_log_softmax"})
_OF_ONE = {"log": "log", "acosh": ""}
"""Functions that are 0 at 1 and steep there, with their form in the rule."""
_FEW = 1 << 14
_SHARE = 0.05
"""Minimum error, as a share of the result."""
_COMPARE = frozenset({"abs", "norm", "linalg_vector_norm", "square", "pow"})
_ALIKE = 4.0
"""Two ways to the same numbers differ by so many errors at most: they are compared if that becomes a distance."""


_told = partial(Lost, rule="difference-cancels")
_WIDER: dict[bool, dict[str, Any]] = {
    False: {},
    True: {"wanted": "float64", "form": "double"},
}
"""What is wanted instead of a half dtype, and of float32."""


def find(seen: Seen) -> Lost | None:
    """Return a result that is mostly the rounding of what it was made of."""
    dtype = seen.dtype
    if dtype not in PRECISION or dtype is torch.float64:
        return None
    if seen.name in _WITH_PRODUCTS:
        return _products(seen, dtype)
    if seen.name not in _SUMS:
        return _near_one(seen, dtype)
    if dtype in HALF and _log_probabilities(seen):
        return _told(
            figures=f"the log-probabilities of two distributions are both rounded to {short(dtype)}, and their "
            "difference is smaller than the rounding",
            form="log probabilities",
        )
    return None if seen.undoes else _difference(seen, dtype)


def _difference(seen: Seen, dtype: torch.dtype) -> Lost | None:
    """Return a precision loss, judged by the value ranges of both operands and of the result."""
    # the numbers themselves were rounded when they were made; only what an op of this dtype gave has lost by it
    if _are_one(seen) or not all(_computed(seen, name) for name in ("self", "other")):
        return None
    x, y, out = seen.moments("self"), seen.moments("other"), seen.moments("out")
    if x is None or y is None or out is None:
        return None
    wide = dtype is torch.float32
    if wide and not _is_unstable(seen):
        return None
    fixed = x.constant() + y.constant()
    if fixed > (not wide) and not _comes_to_nothing(seen):
        return None
    return _cancelled(seen, dtype, max(x.rms, y.rms), out)


def _cancelled(
    seen: Seen, dtype: torch.dtype, large: float, out: Moments
) -> Lost | None:
    variance, wide = _is_variance(seen), dtype is torch.float32
    # the mean of the squares is no other than the square of the mean by chance, and varies with it
    size = (variance and abs(out.mean)) or out.rms
    error = large * 2.0 ** -PRECISION[dtype] * 0.5
    if error < _SHARE * size or not error:
        return None
    alike = wide and not variance and size < _ALIKE * error
    return _told(
        figures=f"numbers around {spelled(large)} cancel to {spelled(size)}, and {short(dtype)} has rounded each "
        f"by up to {spelled(2 * error)}",
        **_WIDER[wide] | ({"form": "variance"} if variance else {}),
        waits=_COMPARE if alike else frozenset(),
    )


def _products(seen: Seen, dtype: torch.dtype) -> Lost | None:
    """Return what is lost of known numbers, beside what float64 gives."""
    out, before, target = seen.known("out"), seen.known("self"), seen.given.get("self")
    if out is None or out.numel() > _FEW or _is_stable(seen, dtype):
        return None
    exact = in_float64(seen, lambda one: before if one is target else numbers(one))
    if exact is None or exact.shape != out.shape:
        return None
    error = float((out.double() - exact).square().mean().sqrt())
    added = seen.moments("self")
    if added is not None and _computed(seen, "self"):
        error = max(error, added.rms * 2.0 ** -PRECISION[dtype] * 0.5)
    size = float(exact.square().mean().sqrt())
    if not size or error < _SHARE * size:
        return None
    return _told(
        figures=f"products that nearly cancel leave {spelled(size)}, and {short(dtype)} is off by {spelled(error)}",
        **_WIDER[dtype is torch.float32],
    )


def _is_stable(seen: Seen, dtype: torch.dtype) -> bool:
    """Check whether a float32 result is a residual, which has no more digits; a covariance is none: it is wanted."""
    if dtype in HALF or "cdist" in seen.name:
        return False
    means = all(seen.made_by(n) == "mean" for n in MATRICES.get(seen.name, ("self",)))
    return "out" in seen.settled or (seen.degree("self") < SQUARED and not means)


def _is_variance(seen: Seen) -> bool:
    """Check whether it is the mean of squares less the square of a mean."""
    made = {seen.made_by("self"), seen.made_by("other")}
    return bool(made & {"mean", "div"}) and bool(made & {SQUARE, "pow"})


def _are_one(seen: Seen) -> bool:
    """Check whether a tensor is taken off itself, as a policy off what it was a moment ago: that is 0."""
    one, other = seen.tensor("self"), seen.tensor("other")
    if one is None or other is None or find_record(one) is not find_record(other):
        return False
    return (one.storage_offset(), one.shape, one.stride()) == (
        other.storage_offset(),
        other.shape,
        other.stride(),
    )


def _comes_to_nothing(seen: Seen) -> bool:
    """Check whether several numbers were rounded to one before, or two means are one number."""
    made = [seen.made_by(name) for name in ("self", "other")]
    means = all(one in _MEANS for one in made)
    return ALIKE in made or (means and bool(seen.degree("self")))


def _is_unstable(seen: Seen) -> bool:
    """Check whether rounding hurts a float32 difference more than that of the data which it is made of does.

    It hurts a difference of squares, as those of distances and variances are, or of other functions; not of sums of
    data (`u[2:] - 2 * u[1:-1] + u[:-2]`), and no residual (`b - A @ x`), which `x` makes as small as its own digits.
    """
    less, more = sorted(seen.degree(name) for name in ("self", "other"))
    return "out" not in seen.settled and less + more > SQUARED and less > 0


def _log_probabilities(seen: Seen) -> bool:
    pair = [seen.made_by(name) for name in ("self", "other")]
    different = seen.given.get("self") is not seen.given.get("other")
    return different and seen.name == "sub" and all(n in _LOGS for n in pair)


def _near_one(seen: Seen, dtype: torch.dtype) -> Lost | None:
    """Return a logarithm of 1 + x or of 1 - p, or a division by 1 - p."""
    of = "other" if seen.name == "div" else "self"
    made = seen.made_by(of)
    if dtype not in HALF or (
        made != COMPLEMENT and not (seen.name == "logit" and made in PROBABLE)
    ):
        return _of_one_plus(seen, dtype) if seen.name in _OF_ONE else None
    rest = seen.moments(of)
    if rest is not None:
        lo, hi = rest.typical()
        least = lo if made == COMPLEMENT else 1 - hi
        if least >= 2.0 ** -(PRECISION[dtype] + 1):
            return None
        return _told(
            figures=f"probabilities above {1 - 2.0 ** -(PRECISION[dtype] + 1):.6g} round to 1 in {short(dtype)}, and "
            "their complement to 0",
            form="complement" if seen.name == "log" else "rest",
        )
    return None


def _of_one_plus(seen: Seen, dtype: torch.dtype) -> Lost | None:
    """Return the logarithm of 1 and a little: the sum has rounded the little away."""
    x = seen.moments("self")
    near = 2.0 ** -(PRECISION[dtype] - 3)
    if x is None or seen.made_by("self") not in (*_SUMS, ALIKE):
        return None
    if x.constant() and seen.made_by("self") != ALIKE:
        return None
    lo, hi = x.typical()
    if max(abs(lo - 1), abs(hi - 1)) > near:
        return None
    return _told(
        figures=f"numbers within {spelled(max(abs(lo - 1), abs(hi - 1)))} of 1 were rounded to multiples of "
        f"{spelled(2.0 ** -(PRECISION[dtype] - 1))} in {short(dtype)}",
        form=_OF_ONE[seen.name],
        wanted=wider(dtype),
    )


def _computed(seen: Seen, name: str) -> bool:
    """Check whether an operand came from half-precision arithmetic; a constant has no rounding of its own."""
    value = seen.given.get(name)
    return not isinstance(value, torch.Tensor) or seen.made_by(name) in _ARITHMETIC


_ARITHMETIC = frozenset({
    "add", "sub", "mul", "div", "pow", "exp", "mean", "sum", "square", "sqrt", "rsqrt", "matmul", "mm", "bmm", "linear",
    "log", "sigmoid", "tanh", "cumprod", "var", "std", "norm", "cos", "sin", "log_softmax", "_log_softmax", COMPLEMENT,
    ALIKE, "expm1", "log1p", "softmax", "_softmax", "cumsum", "addmm", "baddbmm", "dot", "erf", "exp2", "softplus",
    "outer", "ger", "mv",
})  # fmt: skip
