"""Signatures of calls in the measured tables: one token per operand, "fh0l#".

>>> signature([Input(name="input", dtype="float32", device="cpu", dim=2), …])
'fhh'
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .contract import PYTHON_NUMBER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .contract import Input

LETTERS = {
    "float16": "h", "bfloat16": "b", "float32": "f", "float64": "d", "complex32": "H", "complex64": "F",
    "complex128": "D", "int64": "l", "int32": "i", "int16": "s", "int8": "c", "uint8": "u", "bool": "?",
    "float8_e4m3fn": "1", "float8_e5m2": "2", "float8_e4m3fnuz": "3", "float8_e5m2fnuz": "4",
    "float8_e8m0fnu": "5", "uint16": "S", "uint32": "I", "uint64": "L",
}  # fmt: skip
DTYPES = {letter: dtype for dtype, letter in LETTERS.items()}
UNKNOWN = "x"
"""The letter of a dtype that tables do not know; no table has it."""
NO_DIMENSIONS, NUMBER = "0", "#"
_OPEN, _CLOSE = "(", ")"
_TOKEN = re.compile(rf"[^()][{NO_DIMENSIONS}{NUMBER}]?")
_ARGUMENT = re.compile(rf"\([^)]*\)|{_TOKEN.pattern}")


def token(dtype: str, dim: int) -> str:
    """Return one operand: its dtype's letter, marked where it is a Python number or has no dimensions."""
    letter = LETTERS.get(dtype, UNKNOWN)
    if dim == PYTHON_NUMBER:
        return letter + NUMBER
    if dim == 0:
        return letter + NO_DIMENSIONS
    return letter


def argument(name: str) -> str:
    """Return the argument that an operand belongs to: "tensors" of "tensors[1]"."""
    return name.partition("[")[0]


def arguments(inputs: Sequence[Input]) -> tuple[str, ...]:
    """Return the arguments that are there, a list once."""
    return tuple(dict.fromkeys(operand.argument for operand in inputs))


def signature(inputs: Sequence[Input]) -> str:
    """Return the signature of a call. Each kind of item of a list argument occurs once, in order of appearance."""
    found: dict[str, list[str]] = {}
    lists = set()
    for operand in inputs:
        name, bracket, _ = operand.name.partition("[")
        tokens = found.setdefault(name, [])
        if bracket:
            lists.add(name)
        one = token(operand.dtype, operand.dim)
        if one not in tokens:
            tokens.append(one)
    return "".join(
        _OPEN + "".join(tokens) + _CLOSE if name in lists else tokens[0]
        for name, tokens in found.items()
    )


def operands(written: str) -> tuple[tuple[str, ...], ...]:
    """Return a signature read back: for each argument its tokens, several only for a list.

    >>> operands("f(hb0)l#")
    (('f',), ('h', 'b0'), ('l#',))
    """
    return tuple(tuple(_TOKEN.findall(one)) for one in _ARGUMENT.findall(written))
