"""Attributes of other people's modules and classes, replaced for a while and then exactly as before.

with applied([Patch(torch.cuda, "is_available", lambda: True)]):
    torch.cuda.is_available()   # True
torch.cuda.is_available()       # what it was
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class _Absent:
    """The value of a name that is not there."""

    def __repr__(self) -> str:
        """As it is written."""
        return "ABSENT"


ABSENT: Final = _Absent()


@dataclass(frozen=True, slots=True)
class Patch:
    """`owner.name` is `value` while applied; with `value=ABSENT` the owner's own attribute is gone.

    `owner` is a module, a class, any object with a `__dict__`, or a dict (then `name` is a key: `sys.modules`).
    A property, staticmethod or function is stored as given: on a class, a plain function becomes a method.
    """

    owner: Any
    name: str
    value: Any


@contextmanager
def applied(patches: Iterable[Patch]) -> Iterator[None]:
    """Apply in order, restore in reverse; also when a patch cannot be applied, or the body raises.

    An attribute that the owner only inherited is deleted again, so that what it inherits shows through. `patches` is
    read one by one: a later patch may look at what an earlier one put there.

    Raises what setting raises (TypeError for a built-in type's attribute), after everything is restored.
    """
    with ExitStack() as stack:
        for patch in patches:
            stack.callback(_put, patch.owner, patch.name, _own(patch.owner, patch.name))
            _put(patch.owner, patch.name, patch.value)
        yield


def _own(owner: Any, name: str) -> Any:
    """The owner's own entry, as stored (a property stays a property), or ABSENT."""
    return (owner if isinstance(owner, dict) else vars(owner)).get(name, ABSENT)


def _put(owner: Any, name: str, value: Any) -> None:
    if _own(owner, name) is value:
        return
    if isinstance(owner, dict):
        if value is ABSENT:
            del owner[name]
        else:
            owner[name] = value
    elif value is ABSENT:
        delattr(owner, name)
    else:
        setattr(owner, name, value)
