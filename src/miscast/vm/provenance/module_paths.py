"""The path of the module at work, as its user would write it: `unet.down_blocks.1.attentions.0.norm`.

Read off the call stack when it is asked for, so that a run without findings pays nothing.
"""

from __future__ import annotations

import sys
from inspect import CO_OPTIMIZED
from itertools import islice, pairwise
from types import ModuleType
from typing import TYPE_CHECKING

import torch

from .contents import attributes_of, items_of
from .module_members import submodules
from .origin import user_frames

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType

_MANY = 1024
_OWN_REFERENCES = 3
_CONTAINERS = frozenset({list, tuple, dict})
CALL = torch.nn.Module._call_impl.__code__


def path(frame: FrameType | None) -> str | None:
    """Return the innermost module below `frame`, from the variable that holds its root (or the root's class)."""
    return reached(frame)[0]


def reached(frame: FrameType | None) -> tuple[str | None, str, str]:
    """Return the path; the outermost module on it, which has a `.to()`; and the first that this `.to()` does not reach.

    `models.unet.conv`, where `models` is no module, has `models.unet` for its outermost one. The last is "" if every
    module on the way is registered in the one that calls it.
    """
    running = list(_running(frame))
    if not running:
        return None, "", ""
    frames = user_frames(frame)
    root, parts = _outermost(frames, running[-1])
    apart = ""
    for parent, child in pairwise(running[::-1]):
        below = _below(parent, child)
        if below is None:
            parts = _unregistered(frames, parent, child, parts)
            apart = apart or ".".join(parts)
        elif below:
            parts = [*parts, below]
    return ".".join(parts), root, apart


def _unregistered(
    frames: list[FrameType],
    parent: torch.nn.Module,
    child: torch.nn.Module,
    parts: list[str],
) -> list[str]:
    """Return the path to a module that its caller has not registered; `parts` is the path to the caller."""
    held = next((name for name, one in _held(parent) if one is child), None)
    named = None if held else _kept(frames, child)
    return [named] if named else [*parts, held or type(child).__name__]


def _outermost(
    frames: list[FrameType], module: torch.nn.Module
) -> tuple[str, list[str]]:
    """Return the variable that holds the root of a module, and the path from there to the module."""
    name, root = root_of(frames, module)
    below = _below(root, module)
    return name, [name, below] if below else [name]


def root_of(
    frames: list[FrameType], module: torch.nn.Module
) -> tuple[str, torch.nn.Module]:
    """Return the outermost module that a variable holds and a module belongs to, by the program's name for it."""
    for name, root in roots(frames):
        if _below(root, module) is not None:
            return name, root
    return _kept(frames, module) or type(module).__name__, module


def let_go(frames: Iterable[FrameType]) -> None:
    """Forget what was read of frames: before Python 3.13 a frame keeps a dict of its variables, and so their tensors.

    Not where the program holds that dict itself, as its own `locals()`, or where it is the variables.
    """
    if sys.version_info >= (3, 13):
        return
    for frame in frames:
        if frame.f_code.co_flags & CO_OPTIMIZED:
            variables = frame.f_locals
            # the frame's, this function's, and that of the call
            if sys.getrefcount(variables) <= _OWN_REFERENCES:
                variables.clear()


def _held(parent: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Module]]:
    """Yield modules that a module holds unregistered, so that `.to()` and `.half()` skip them.

    In plain lists and dicts (`towers[0]`), and in objects that are no modules (`loss.vgg`).
    """
    for name, value in list(vars(parent).items()):
        if not name.startswith("_"):
            yield from _inside(name, value)
            if not issubclass(type(value), ModuleType):
                for attribute, part in _attributes(value):
                    yield (f"{name}.{attribute}", part)


def _kept(frames: list[FrameType], module: torch.nn.Module) -> str | None:
    """Return how a line of the program reaches a module that no other registers.

    By a variable's list, or by its own name.
    """
    for frame in frames:
        for scope in (frame.f_locals, frame.f_globals):
            for name, value in list(scope.items()):
                owners = [(name, value), *_containers(name, value)]
                for held, part in [
                    *owners,
                    *(one for owner in owners for one in _inside(*owner)),
                ]:
                    if part is module and held != "self":
                        return held
    return None


def _containers(name: str, value: object) -> list[tuple[str, object]]:
    if issubclass(type(value), ModuleType):
        return []
    held = items_of(attributes_of(value))
    return [(f"{name}.{own}", part) for own, part in held if type(part) in _CONTAINERS]


def _inside(name: str, value: object) -> Iterator[tuple[str, torch.nn.Module]]:
    """Yield the modules in a plain list or dict, by the expression that takes them out."""
    for key, held in islice(items_of(value), _MANY):
        if issubclass(type(held), torch.nn.Module):
            yield f"{name}[{key!r}]", held


def _running(frame: FrameType | None) -> Iterator[torch.nn.Module]:
    while frame is not None:
        if frame.f_code is CALL:
            module = frame.f_locals.get("self")
            if isinstance(module, torch.nn.Module):
                yield module
        frame = frame.f_back


def roots(frames: Iterable[FrameType]) -> Iterator[tuple[str, torch.nn.Module]]:
    """Yield modules in variables of the user's frames, outermost frame first (which has the whole model)."""
    for frame in reversed(list(frames)):
        for scope in (frame.f_locals, frame.f_globals):
            for name, value in list(scope.items()):
                # not `isinstance`: it asks a lazy object for its class
                if issubclass(type(value), torch.nn.Module):
                    yield (type(value).__name__ if name == "self" else name), value
                elif not issubclass(type(value), (type, ModuleType)):
                    for attribute, part in _attributes(value):
                        yield f"{name}.{attribute}", part


def _attributes(value: object) -> list[tuple[str, torch.nn.Module]]:
    """Return the modules that an object of the program's holds: `models.unet`, `self.vae` of a trainer."""
    return [
        (name, part)
        for name, part in items_of(attributes_of(value))
        if issubclass(type(part), torch.nn.Module)
    ]


def _below(root: torch.nn.Module, wanted: torch.nn.Module) -> str | None:
    return next((name for name, module in submodules(root) if module is wanted), None)
