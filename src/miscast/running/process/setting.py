"""One setting of the process: how it is read, and how what was read is set again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple


class Setting(NamedTuple):
    """`put(get())` changes nothing. Equal values need no `put`; an `Array` is put always."""

    name: str
    get: Callable[[], Any]
    put: Callable[[Any], Any]


class Array(tuple[Any, ...]):
    """A state that holds an array, which has no truth value: it cannot be compared."""

    __slots__ = ()


def attributes(owner: Any, prefix: str, *names: str) -> Iterator[Setting]:
    """Yield settings for the attributes that an object has; values are equal if they are the same object."""
    for name in names:
        if hasattr(owner, name):
            yield Setting(
                f"{prefix}.{name}", _reading(owner, name), _writing(owner, name)
            )


def _reading(owner: Any, name: str) -> Callable[[], Any]:
    return lambda: Same(getattr(owner, name, None))


def _writing(owner: Any, name: str) -> Callable[[Any], None]:
    return lambda before: setattr(owner, name, before.value)


class Same:
    """Compares by identity: what is replaced by its like is replaced all the same."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    __hash__ = None  # type: ignore[assignment]


def content(name: str, table: Any) -> Setting:
    """Return a setting for a dict or list, which stays the same object. A dict is never empty: it may be builtins."""

    def put(before: Any) -> None:
        if isinstance(table, list):
            table[:] = before
            return
        for key in [key for key in table if key not in before]:
            del table[key]
        table.update(before)

    return Setting(
        name, lambda: list(table) if isinstance(table, list) else dict(table), put
    )
