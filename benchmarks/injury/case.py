"""One injured program and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`truth` is what torch said of it. `crash` says that `check` or `fix` itself failed.

    `found`: check reports an error; `named`: its story or its fix names the injured line; `helped`: its fix does;
    `proven`: no error is left after the fix of `miscast fix`; `equal`: the fixed code is the original; `good`: it is,
    or prints the same numbers.
    """

    program: str
    machine: str
    kind: str
    about: str
    file: str
    first: int
    last: int
    original: str
    injured: str
    truth: str
    message: str = ""
    story: tuple[str, ...] = ()
    ended: str = ""
    found: bool = False
    named: bool = False
    helped: bool = False
    proven: bool = False
    equal: bool = False
    good: bool = False
    titles: tuple[str, ...] = ()
    diff: str = ""
    tried: tuple[str, ...] = ()
    crash: str = ""
    seconds: float = 0.0

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def case(data: Mapping[str, Any]) -> Case:
    """From `data`, as JSON carries it."""
    lists = ("story", "titles", "tried")
    return Case(**{name: tuple(value) if name in lists else value for name, value in data.items()})
