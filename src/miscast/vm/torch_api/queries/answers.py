"""Turn a table of answers into patches, with the two most common answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ....running.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


def always(value: Any) -> Callable[..., Any]:
    """Return a function that returns `value` for any arguments."""

    def answer(*_: Any, **__: Any) -> Any:
        return value

    return answer


def nothing(*_: Any, **__: Any) -> None:
    """Do nothing: there is no hardware to do it on."""


def standing_for(plain: type, new: Callable[..., Any]) -> type:
    """Return a class in the place of torch's `plain`: `new` makes its objects, and torch's own are taken for them."""

    def knows(_cls: type, instance: object) -> bool:
        return isinstance(instance, plain)

    known = type("_Known", (type(plain),), {"__instancecheck__": knows})
    made: type = known(
        plain.__name__, (plain,), {"__new__": new, "__module__": "torch"}
    )
    return made


def answers(owner: object, table: Mapping[str, Any]) -> Iterator[Patch]:
    """Return one patch per row."""
    return (Patch(owner, name, value) for name, value in table.items())
