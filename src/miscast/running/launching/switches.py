"""The precision switches of a program's command line, and the runs that they stand for besides the one that was asked.

parser.add_argument("--bf16", action="store_true")               ("--bf16",)
parser.add_argument("--dtype", choices=["fp16", "bf16"])         ("--dtype", "fp16"), ("--dtype", "bf16")
parser.add_argument("--dtype", default="float16")                ("--dtype", "bfloat16"), ("--dtype", "float32")
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from .option import Option

_FLAG = re.compile(
    r"--(use[-_]|no[-_])?(fp16|bf16|half|float16|bfloat16|fp32|float32|full)$"
)
_OPTION = re.compile(r"--(\w+[-_])*(dtype|precision|mixed[-_]precision)$")
_VALUE = re.compile(
    r"(no|fp|bf|float|bfloat|half|full|single|tf)[\w-]*$|(16|32)([-_](mixed|true))?$"
)
_ALIKE = (
    ("fp16", "bf16", "fp32"),
    ("float16", "bfloat16", "float32"),
    ("16-mixed", "bf16-mixed", "32-true"),
)
_MOST = 4
"""So many other runs at most: each takes as long as the program."""


def others(
    options: Iterable[Option], args: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Return the arguments of other runs: the ones given, each with one precision switch changed."""
    found: dict[tuple[str, ...], None] = {}
    for option in options:
        for words, rest in _otherwise(option, args):
            found.setdefault((*rest, *words))
    return tuple(found)[:_MOST]


def told(args: Sequence[str]) -> str:
    """Return the switch that such arguments add to those given: "--bf16", "--dtype fp16"."""
    last = args[-2:] if len(args) > 1 and _OPTION.match(args[-2]) else args[-1:]
    return " ".join(last)


def _otherwise(
    option: Option, args: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], Sequence[str]]]:
    """Yield the words that set an option otherwise, and the arguments without it."""
    place, name = _place(option.names, args), _precision_name(option)
    if name is None:
        return
    if option.flag:
        yield from _flipped(option, name if place is None else "", args)
        return
    given, rest = option.default, args
    if place is not None:
        given = args[place[1] - 1].rpartition("=")[2]
        rest = (*args[: place[0]], *args[place[1] :])
    for choice in option.choices or _alike(given):
        if choice != given and _VALUE.match(choice):
            yield (name, choice), rest


def _precision_name(option: Option) -> str | None:
    """Return the name of an option that sets a precision."""
    pattern = _FLAG if option.flag else _OPTION
    return next((name for name in option.names if pattern.match(name)), None)


def _flipped(
    option: Option, name: str, args: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], Sequence[str]]]:
    """Yield a flag set otherwise, if it is not yet. `name` sets it to True; "" where it is given."""
    word = option.off if option.default == "True" else name
    if word and not (option.off and option.off in args):
        yield (word,), args


def _alike(given: str | None) -> tuple[str, ...]:
    return next((values for values in _ALIKE if given in values), ())


def _place(names: Sequence[str], args: Sequence[str]) -> tuple[int, int] | None:
    """Return start and end of an option among the arguments, with its value."""
    for index, word in enumerate(args):
        if word in names:
            return index, min(index + 2, len(args))
        if word.partition("=")[0] in names:
            return index, index + 1
    return None
