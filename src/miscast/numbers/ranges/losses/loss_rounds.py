"""A loss that is computed in a half dtype: it has two or three digits, and what is small in it is gone."""

from __future__ import annotations

import math

from ..loss import HALF, Lost, short, spacing, spelled
from ..seen import Seen

OPS = frozenset({
    "cross_entropy_loss", "nll_loss_nd", "nll_loss", "nll_loss2d", "mse_loss", "l1_loss", "smooth_l1_loss",
    "huber_loss", "kl_div", "binary_cross_entropy", "binary_cross_entropy_with_logits", "poisson_nll_loss", "log",
    "gaussian_nll_loss", "ctc_loss", "logsumexp", "exp", "log_softmax",
})  # fmt: skip
_LOSSES = frozenset({"mean", "cross_entropy_loss", "nll_loss", "nll_loss_nd"})
_APART = 0.04
_DIGITS = {"float16": "three digits", "bfloat16": "two to three digits"}


def find(seen: Seen) -> Lost | None:
    """Return a precision loss for a single number of a half dtype, or the logarithm of half-precision probabilities."""
    dtype = seen.dtype
    if dtype not in HALF:
        return None
    operand = "self" if "self" in seen.given else "input"
    tensor = seen.tensor(operand)
    if tensor is None or tensor.dtype not in HALF:
        return None
    if seen.name == "exp" and seen.made_by("self") not in _LOSSES:
        return None
    if seen.name == "log":
        return _logarithm(seen, short(dtype))
    if seen.name == "log_softmax":
        return _of_many(seen, operand)
    out = seen.tensor("out")
    if out is None or (out.numel() != 1 and seen.name != "logsumexp"):
        return None
    return Lost(
        rule="loss-rounds",
        operand=operand,
        figures=f"the loss is a {short(dtype)} number with {_DIGITS[short(dtype)]}",
    )


def _of_many(seen: Seen, operand: str) -> Lost | None:
    """Return the precision loss of log-probabilities of thousands of classes: around -10, spacing is wide."""
    out, dim = seen.tensor("out"), seen.given.get("dim")
    if out is None or not out.dim() or not isinstance(dim, int):
        return None
    size = math.log(max(out.shape[dim], 1))
    apart = spacing(size, out.dtype) if size else 0.0
    if apart < _APART:
        return None
    return Lost(
        rule="loss-rounds",
        operand=operand,
        figures=f"log-probabilities of {out.shape[dim]} classes, around -{spelled(round(size, 1))}, are "
        f"rounded to multiples of {spelled(apart)} in {short(out.dtype)}",
    )


def _logarithm(seen: Seen, dtype: str) -> Lost | None:
    if seen.made_by("self") != "softmax":
        return None
    lost = "have two to three digits"
    if dtype == "float16":
        lost = "below 3e-8 are 0, and their logarithm is -inf"
    return Lost(rule="loss-rounds", form="log", figures=f"{dtype} probabilities {lost}")
