"""The choices of precision and devices that a program's command line offers, and that a run did not take.

>>> untried(options("train.py"), [("--dtype", "fp16")])
('--dtype bf16', '--dtype fp32', '--autocast', '--offload')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from .option import Option

_SPEAKS = re.compile(
    r"(^|[-_./])(fp\d+|bf16|tf32|float\d*|bfloat16|half|amp|dtype|precision|autocast|upcast|cpu|cuda|gpu|mps|device"
    r"|offload|quant\w*|\d+bit|int8|nf4|xformers|sdpa|flash\w*|compile)($|[-_./])"
)


def untried(
    options: Iterable[Option], runs: Sequence[Sequence[str]]
) -> tuple[str, ...]:
    """Return what could be said on the command line besides: flags, and the choices of options.

    `runs` are arguments.
    """
    found: dict[str, None] = {}
    for option in options:
        if any(map(_speaks, option.names)):
            found.update(dict.fromkeys(_left(option, runs)))
    return tuple(found)


def _speaks(name: str) -> bool:
    return bool(_SPEAKS.search(name.lstrip("-").lower()))


def _left(option: Option, runs: Sequence[Sequence[str]]) -> Iterator[str]:
    long = filter(lambda one: one.startswith("--"), option.names)
    name = next(long, option.names[0])
    if option.flag:
        word = option.off if option.default == "True" else name
        said = (word,) if word == option.off else option.names
        if word and set(said).isdisjoint(chain.from_iterable(runs)):
            yield word
        return
    taken = {_value(option, args) for args in runs}
    joint = " " if name.startswith("-") else "="
    yield from (f"{name}{joint}{one}" for one in option.choices if one not in taken)


def _value(option: Option, args: Sequence[str]) -> str | None:
    """Return what a run gives an option: the last word counts."""
    value = option.default
    for index, word in enumerate(args):
        begin, joined, rest = word.partition("=")
        if begin.lstrip("+") in option.names:
            value = rest if joined else next(iter(args[index + 1 : index + 2]), value)
    return value
