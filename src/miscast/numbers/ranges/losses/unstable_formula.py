"""Formulas in float32 that end in inf or nan where torch has a function that does not."""

from __future__ import annotations

from collections.abc import Mapping

import torch

from ..exponentials import CHANCE_LEFT, ONE_AND_EXP, OPEN_EXPS, SIGMOID, SUM_OF_EXP
from ..loss import Lost
from ..names import PROBABLE
from ..seen import Seen

_LOGARITHMS = frozenset({"log", "log2", "log10"})
OPS = _LOGARITHMS | {"log1p", "div"}
WIDENS = True
_SOFTMAX = "softmax", "exp(x) / sum(exp(x)) is nan where x is above 88"
_OF: Mapping[str, tuple[str, str]] = {
    SIGMOID: ("log sigmoid", "the logarithm of sigmoid(x) is -inf where x is below -104"),
    CHANCE_LEFT: ("log chance left", "the logarithm of 1 - sigmoid(x) is -inf where x is above 17"),
    ONE_AND_EXP: ("softplus", "log(1 + exp(x)) is inf where x is above 88"),
    **dict.fromkeys(
        PROBABLE - {SIGMOID}, ("log softmax", "the logarithm of a softmax is -inf where x is 104 below the largest")
    ),
}  # fmt: skip
"""The form and its limit, by the operand of the logarithm."""


def find(seen: Seen) -> Lost | None:
    """Return a logarithm of what may be 0, or of what may be inf; a softmax by hand that subtracts nothing first."""
    if seen.dtype is not torch.float32:
        return None
    if seen.name == "div":
        whole = seen.made_by("other") == SUM_OF_EXP
        by_hand = whole and seen.made_by("self") in OPEN_EXPS
        return _ends(*_SOFTMAX) if by_hand else None
    made_by = seen.made_by("self")
    if seen.name == "log1p":
        return _ends(*_OF[ONE_AND_EXP]) if made_by in OPEN_EXPS else None
    return _ends(*_OF[made_by]) if made_by in _OF else None


def _ends(form: str, figures: str) -> Lost:
    return Lost(
        rule="unstable-formula", operand="self", wanted="", figures=figures, form=form
    )
