"""Names of float32 numbers on the way to a logarithm, or a quotient, of exponentials or of chances."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .seen import Seen

SIGMOID = "sigmoid"
CHANCE_LEFT = "1 - sigmoid"
ONE_AND_EXP = "1 + exp"
SUM_OF_EXP = "sum of exp"
OPEN_EXPS = frozenset({"exp", "exp(-x)"})
"""Exponentials of what nothing bounds."""
_OF_BOUNDED = "exp of what is bounded"
_BELOW_ZERO = "-|x|"
_BOUNDS = frozenset({
    "sub", "rsub", "clamp", "clamp_max", "minimum", "tanh", SIGMOID, "log_softmax", "_log_softmax", "log",
    "logsumexp", "sin", "cos", _BELOW_ZERO,
})  # fmt: skip
"""Ops with a bounded result: the largest was subtracted, or the op has a limit."""
_FAR = 80
_SUMS = {"sum": "self", "scatter_add": "src", "scatter_reduce": "src", "index_add": "source"}  # fmt: skip


def made(seen: Seen) -> str:
    """Return the name of a call's result; "" if it leads to no logarithm or quotient of exponentials."""
    by = seen.made_by("self")
    match seen.name:
        case "neg":
            return _BELOW_ZERO if by in ("abs", "square", "pow") else ""
        case "exp":
            return _exponential(seen, by)
        case "reciprocal":
            return SIGMOID if by == ONE_AND_EXP else ""
        case "add" | "mul" | "rsub":
            return _with_number(seen, by)
    summed = seen.made_by(_SUMS[seen.name]) if seen.name in _SUMS else ""
    return SUM_OF_EXP if summed in OPEN_EXPS else ""


def _exponential(seen: Seen, by: str) -> str:
    found = seen.moments("self")
    small = found is not None and found.certain and abs(found.hi) < _FAR
    if small or by in _BOUNDS:
        return _OF_BOUNDED
    return "exp(-x)" if by == "neg" else "exp"


def _with_number(seen: Seen, by: str) -> str:
    """Return the name for 1 + exp(x), an eps added to a sum, 1 times a quotient, or 1 - sigmoid."""
    number = seen.number("other")
    if number is None:
        return ""
    if seen.name == "add":
        counted = by in OPEN_EXPS and number == 1
        return ONE_AND_EXP if counted else by if by == SUM_OF_EXP else ""
    if number != 1:
        return ""
    if seen.name == "mul":
        return by
    return CHANCE_LEFT if by == SIGMOID else ""
