"""The tensors that fit no signature, as torch before 0.4 listed the types it got and those it takes.

    FloatBCECriterion_updateOutput received an invalid combination of arguments - got (int, torch.FloatTensor,
    torch.LongTensor), but expected (int state, torch.FloatTensor input, torch.FloatTensor target)

Only where a signature has as many arguments, and tensors of another type in their places, was it the type; else it
was the number or the kind of the arguments.
"""

from __future__ import annotations

import re

from .spelling import Value, read_dtype

_LISTS = re.compile(r"\(([^()]{1,800})\)")
_TENSOR = re.compile(r"torch\.(?:cuda\.|sparse\.)?[A-Z][a-z]{2,8}Tensor")
_MOST = 40


def misfits(source: str) -> dict[str, Value]:
    """What was got where a tensor of another type is taken, by the argument's name, and one of what was expected."""
    got_at, but_at = source.find("got ("), source.find("expected")
    if got_at < 0 or but_at < got_at:
        return {}
    got = _LISTS.search(source, got_at)
    if got is None:
        return {}
    given = _split(got[1])
    best: dict[str, Value] | None = None
    for listed in list(_LISTS.finditer(source, but_at))[:_MOST]:
        taken = _split(listed[1])
        if len(taken) != len(given):
            continue
        odd = _odd(given, taken)
        if odd is not None and (best is None or len(odd) < len(best)):
            best = odd
    return best or {}


def _split(text: str) -> list[str]:
    return [part.strip(" []!\n*") for part in text.split(",")]


def _odd(given: list[str], taken: list[str]) -> dict[str, Value] | None:
    """The tensors of another type than the signature's; None where something else does not fit either."""
    odd: dict[str, Value] = {}
    for number, (one, other) in enumerate(zip(given, taken, strict=True)):
        have, want = _TENSOR.search(one), _TENSOR.search(other)
        if (have is None) != (want is None) and not one.endswith(("NoneType", "Variable", "Parameter")):
            return None
        if have is None or want is None or have[0] == want[0]:
            continue
        name = other.rpartition(" ")[2] if " " in other else f"argument {number + 1}"
        found, expected = read_dtype(have[0].lower(), 0), read_dtype(want[0].lower(), 0)
        if found is not None and expected is not None:
            odd |= {name: found[0], "expected": expected[0]}
    return odd
