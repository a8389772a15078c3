"""Read what an object of the program holds, as Python stores it. No code of its class runs."""

from __future__ import annotations

from types import GetSetDescriptorType, MemberDescriptorType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_OF_PYTHON = (GetSetDescriptorType, MemberDescriptorType)
_NOTHING: dict[str, Any] = {}


def attributes_of(value: Any) -> dict[str, Any]:
    """Return the attributes in its `__dict__`; none for a class, an object of slots, or a custom `__dict__`."""
    kind = type(value)
    if issubclass(kind, type) or type(defined(kind, "__dict__")) not in _OF_PYTHON:
        return _NOTHING
    found: dict[str, Any] = object.__getattribute__(value, "__dict__")
    return found


def items_of(container: Any) -> Iterator[tuple[Any, Any]]:
    """Yield keys or indices with the values of a dict, a list or a tuple; nothing for other objects."""
    kind = type(container)
    if issubclass(kind, dict):
        yield from list(dict.items(container))
    elif issubclass(kind, list):
        yield from enumerate(list.__iter__(container))
    elif issubclass(kind, tuple):
        yield from enumerate(tuple.__iter__(container))


def defined(kind: type, name: str) -> Any:
    """Return what a class, or a base class, defines under a name, without calling a metaclass."""
    return next((vars(one)[name] for one in kind.__mro__ if name in vars(one)), None)
