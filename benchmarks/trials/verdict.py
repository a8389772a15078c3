"""How a check compares with real torch on one call: pure, no torch."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Literal

from .outcome import Checked, Outcome, Told, Trial

Verdict = Literal[
    "right",
    "other operand",
    "missed",
    "missed, ended",
    "false alarm",
    "wrong result",
    "wrong gradient",
    "ended",
    "crash",
    "not dtypes",
]

# Errors of real torch that are not about the dtype or the device of an operand, so that a tool which knows nothing else
# need not foresee them: (what the text contains, why it is none). They are counted apart.
NOT_DTYPES: tuple[tuple[str, str], ...] = (
    ("Jiterator is only supported on CUDA", "no CPU has this op, whatever the dtypes"),
    ("doesn't support converting to a different layout", "autocast and a sparse result: about the layout"),
    ("are out of bounds for storage of size", "a view past the end of a storage: about sizes"),
    ("does not match the shape of the indexed tensor", "an index that became a mask: about shapes"),
    ("is not differentiable with respect to argument", "about autograd: an operand that is no parameter was made one"),
    ("the derivative for '", "the same"),
    ("derivative for aten::", "the same"),
    ("scale_grad_by_freq not supported", "about an option"),
    ("must have the same number of dimensions as input tensor", "about shapes"),
    ("is out of bounds for dimension", "an index whose value changed with its dtype"),
    ("out of range", "an index, target or split whose value changed with its dtype"),
    ("out of bounds", "the same, in other words"),
    ("is not invertible", "values: a singular matrix"),
    ("is singular", "values: a singular matrix"),
    ("not positive-definite", "values"),
    ("failed to converge", "values"),
    ("ill-conditioned", "values"),
    ("all elements of input should be between 0 and 1", "values"),
    ("probability tensor contains", "values"),
    ("should be non-negative", "values"),
    ("must be non-negative", "values"),
    ("invalid multinomial distribution", "values"),
)

# Words by which torch's texts call operands that ATen's schemas may name otherwise.
_CALLED = {
    "input": ("self", "A", "tensor"),
    "mat1": ("input", "self", "tensor1"),
    "m1": ("self", "input", "tensor1"),
    "m2": ("other", "mat2", "tensor2", "weight"),
    "mat2": ("weight", "other", "tensor2"),
    "target": ("labels",),
    "destination": ("self",),
    "other": ("b", "input3"),
    "tau": ("input2",),
    "indices": ("index",),
    "index": ("indices",),
    "b": ("self", "B"),
    "lu": ("LU", "self"),
    "source": ("src", "values"),
    "src": ("source",),
}
_LETTERS = ("b", "A", "B", "q")
# Words that stand for no operand: the name of a kernel, of the function, "addmv input tensors", the call spelled out.
_GENERIC = re.compile(r'^"[^"]*" not implemented for .*|\b(?:input|all) tensors\b|^\w+\([^)]*\)|^Index put\b')
_OPERAND = re.compile(r"`(\w+)")
_WORD = re.compile(r"[A-Za-z][A-Za-z_0-9]*")
_NUMBERED = re.compile(r"argument #\d+ '(\w+)'")


def verdict(trial: Trial) -> Verdict:
    """The first thing that is wrong with the check, or "right"; "other operand" is told of, but at another operand."""
    return compared(trial.real, trial.checked)


def compared(real: Outcome, checked: Checked) -> Verdict:
    """The same, of any check."""
    if checked.crash is not None:
        return "crash"
    if real.error is not None:
        if about_other(real.error):
            return "not dtypes"
        if checked.told:
            return "other operand" if same_operand(real.error, checked.told) is False else "right"
        return "missed, ended" if checked.ended else "missed"
    if checked.told:
        return "false alarm"
    if checked.ended is not None:
        return "ended"
    if checked.results != real.results:
        return "wrong result"
    return "right" if checked.gradients == real.gradients else "wrong gradient"


def about_other(error: str) -> bool:
    """Whether an error of torch is about values, shapes or layouts."""
    return any(text in error for text, _ in NOT_DTYPES)


def same_operand(error: str, told: Sequence[Told]) -> bool | None:
    """Whether the message of some finding names the operands that torch's text names; None if the text names none.

    What a text means by "input" or "index" depends on the op: on that of the finding.
    """
    judged = []
    for one in told:
        found = set(_OPERAND.findall(one.message))
        meant = named(error, {*one.arguments, *found})
        if meant:
            judged.append(bool(found) and (all(names & found for names in meant) or found <= set().union(*meant)))
    return any(judged) if judged else None


def named(error: str, arguments: Collection[str]) -> list[set[str]]:
    """For each operand that an error's text names, the arguments of the op that may be meant.

    >>> named("mat1 and mat2 must have the same dtype, but got Float and Half", ("input", "weight", "bias"))
    [{'input'}, {'weight'}]
    """
    text = _GENERIC.sub("", error.partition(": ")[2] or error)
    numbered = _NUMBERED.search(text)
    found: list[set[str]] = []
    for word in [numbered[1]] if numbered else _WORD.findall(text):
        meant = {name for name in (word, word.lower(), *_CALLED.get(word.lower(), ())) if name in arguments}
        if word in arguments:
            meant = {word}
        if meant and (len(word) > 1 or word in _LETTERS) and meant not in found:
            found.append(meant)
    return found
