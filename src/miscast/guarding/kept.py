"""Save and restore program state that rerun lines may change, when they run in the process itself.

Lists, dicts, sets and deques, the attributes of objects, the variables of modules and functions, small tensors. What an
iterator has given is gone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FunctionType, MethodType, ModuleType
from typing import Any

import torch

from ..vm.provenance.origin import TORCH, kind_of
from .stretch import UnreadableError

_DEEP = 8
_WIDE = 1000
"""Elements of a container that are looked into, besides being kept themselves."""
_MOST = 50_000
_CONTAINERS: tuple[Any, ...] = (dict, list, set, deque)
_SMALL = 1 << 20
"""Bytes of a tensor; larger ones are the batch."""


@contextmanager
def keeping(roots: Iterable[Any]) -> Iterator[None]:
    """Restore everything reachable from `roots` after the block. Raises UnreadableError if that is too much."""
    back: list[Callable[[], object]] = []
    known: dict[int, Any] = {}
    level = list(roots)
    for _ in range(_DEEP):
        new = [one for one in level if id(one) not in known]
        known.update((id(one), one) for one in new)
        if len(known) > _MOST:
            raise UnreadableError("its code uses too many objects to restore them")
        level = [inner for one in new for inner in _noted(one, back)]
    try:
        yield
    finally:
        for put in back:
            put()


def _noted(value: Any, back: list[Callable[[], object]]) -> Iterable[Any]:
    """Note how a value is put back; return what it holds."""
    if isinstance(value, torch.Tensor):
        _note_tensor(value, back)
        return ()
    kind = next((one for one in _CONTAINERS if isinstance(value, one)), None)
    if kind is not None:
        held = kind.copy(value)
        back.append(lambda: _put(kind, value, held))
        inner = list(held.values()) if isinstance(held, dict) else list(held)
        return inner if len(held) <= _WIDE else ()
    return _inside(value)


def _inside(value: Any) -> Iterable[Any]:
    """Return what a value holds that is no container."""
    if isinstance(value, (ModuleType, type)):
        return ()
    if isinstance(value, tuple):
        return value if len(value) <= _WIDE else ()
    if isinstance(value, MethodType):
        return (value.__self__, value.__func__)
    if isinstance(value, FunctionType):
        if kind_of(value.__code__) == TORCH:
            return ()
        full = filter(_is_full, value.__closure__ or ())
        return (*(cell.cell_contents for cell in full), value.__globals__)
    attributes = getattr(value, "__dict__", None)
    return (attributes,) if type(attributes) is dict else ()


def _note_tensor(value: torch.Tensor, back: list[Callable[[], object]]) -> None:
    if value.requires_grad or value.nbytes > _SMALL:
        return
    version, copy = value._version, value.clone()
    back.append(lambda: value.copy_(copy) if value._version != version else None)


def _is_full(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def _put(kind: Any, value: Any, held: Any) -> None:
    """Have a container hold what it held; a dict is never empty meanwhile, for another thread may read it."""
    if _items(value) == _items(held):
        return
    if isinstance(value, dict):
        for key in value.keys() - held.keys():
            dict.__delitem__(value, key)
    else:
        kind.clear(value)
    # not its own `update`, which adds in a Counter
    (kind.extend if isinstance(value, (list, deque)) else kind.update)(value, held)


def _items(value: Any) -> list[Any]:
    """Return which objects a container holds, in its order."""
    if isinstance(value, dict):
        return [(key, id(one)) for key, one in value.items()]
    return [id(one) for one in value]
