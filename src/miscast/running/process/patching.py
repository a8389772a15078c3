"""Attributes of other people's modules and classes, replaced for a while and then exactly as before.

with applied([Patch(torch.cuda, "is_available", lambda: True)]):
    torch.cuda.is_available()   # True
torch.cuda.is_available()       # what it was
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import wraps
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ...core.failure import Failures


class _Absent:
    """The value of a name that is not there."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()


class Patch(NamedTuple):
    """`owner.name` is `value` while applied; with `value=ABSENT` the owner's own attribute is gone.

    `owner` is a module, a class, any object with a `__dict__`, or a dict (then `name` is a key: `sys.modules`).
    A property, staticmethod or function is stored as given: on a class, a plain function becomes a method.
    """

    owner: Any
    name: str
    value: Any


def around(owner: Any, name: str, call: Callable[..., Any], *given: Any) -> Patch:
    """Return a patch by which `call(*given, original, *args, **kwargs)` stands for the function `owner.name`."""
    original = getattr(owner, name)

    @wraps(original)
    def run(*args: Any, **kwargs: Any) -> Any:
        return call(*given, original, *args, **kwargs)

    return Patch(owner, name, run)


_layers: list[list[tuple[Patch, Patch]]] = []
"""The applied patches, the oldest first: each patch, and what it replaced."""


@contextmanager
def applied(
    patches: Iterable[Patch], failures: Failures | None = None
) -> Iterator[None]:
    """Apply in order, restore in reverse; also when a patch cannot be applied, or the body raises.

    An attribute that the owner only inherited is deleted again, so that what it inherits shows through. `patches` is
    read one by one: a later patch may look at what an earlier one put there.

    Raises what setting raises (TypeError for a built-in type's attribute), after everything is restored; what cannot be
    restored is noted in `failures`, if these are given, and not raised.
    """
    layer: list[tuple[Patch, Patch]] = []
    _layers.append(layer)
    try:
        for patch in patches:
            before = _now(patch)
            layer.append((patch, before))
            _put(patch)
        yield
    finally:
        failed: list[Exception] = []
        while layer:
            _, before = layer.pop()
            try:
                _put(before)
            except Exception as error:  # noqa: BLE001 - all others are put back before it is raised
                failed.append(error)
                if failures is not None:
                    owner = getattr(before.owner, "__name__", before.owner)
                    failures.note(error, f"it restored {owner}.{before.name}")
        _layers[:] = [one for one in _layers if one is not layer]
        if failed and failures is None:
            raise failed[0]


@contextmanager
def suspended() -> Iterator[None]:
    """Undo the patches of modules, classes and dicts within the block; later values are restored at its end.

    Attributes of other objects stay as they are: setting one may be an act, as turning a switch.
    """
    held = [
        (layer, n)
        for layer in _layers
        for n, (patch, _) in enumerate(layer)
        if isinstance(patch.owner, (ModuleType, type, dict))
    ]
    for layer, n in reversed(held):
        patch, before = layer[n]
        # the program may have put something of its own there
        layer[n] = _now(patch), before
        _put(before)
    try:
        yield
    finally:
        for layer, n in held:
            patch, _ = layer[n]
            layer[n] = patch, _now(patch)
            _put(patch)


def present(patch: Patch) -> Any:
    """Return the present value at a patch's place, ABSENT if there is none."""
    return _space(patch.owner).get(patch.name, ABSENT)


def _now(patch: Patch) -> Patch:
    return patch._replace(value=present(patch))


def _space(owner: Any) -> dict[str, Any]:
    """Return the owner's own entries, as stored: a property stays a property."""
    space: dict[str, Any] = owner if isinstance(owner, dict) else owner.__dict__
    return space


def _put(patch: Patch) -> None:
    owner, name, value = patch
    space = _space(owner)
    if space.get(name, ABSENT) is value:
        return
    if type(owner) is not ModuleType and not isinstance(owner, dict):
        if value is ABSENT:
            delattr(owner, name)
        else:
            setattr(owner, name, value)
    elif value is ABSENT:
        del space[name]
    else:
        space[name] = value
