"""How a table of answers becomes patches, and the two answers that most questions get."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..patching import Patch


def always(value: Any) -> Callable[..., Any]:
    """A function that says `value`, whatever it is asked."""

    def answer(*_: Any, **__: Any) -> Any:
        return value

    return answer


def nothing(*_: Any, **__: Any) -> None:
    """Done: there is no hardware to do it on."""


def answers(owner: object, table: Mapping[str, Any]) -> Iterator[Patch]:
    """One patch per row."""
    return (Patch(owner, name, value) for name, value in table.items())
