"""The path of the module at work, as its user would write it: `unet.down_blocks.1.attentions.0.norm`.

Read off the call stack when it is asked for, so that a run without findings pays nothing.
"""

from __future__ import annotations

from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING

import torch

from .origin import user_frames

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType

CALL = torch.nn.Module._call_impl.__code__


def path(frame: FrameType | None) -> str | None:
    """The innermost module below `frame`, from the variable that holds its root (or the root's class)."""
    running = list(_running(frame))
    if not running:
        return None
    outer = running[-1]
    start = type(outer).__name__
    for name, root in roots(user_frames(frame)):
        below = _below(root, outer)
        if below is not None:
            start = ".".join(filter(None, (name, below)))
            break
    return ".".join((start, *_steps(running[::-1])))


def _steps(running: list[torch.nn.Module]) -> Iterator[str]:
    """How each module of the call stack is reached from the one that called it, outermost first."""
    for parent, child in pairwise(running):
        below = _below(parent, child)
        if below is None:
            below = next((name for name, held in _held(parent) if held is child), type(child).__name__)
        if below:
            yield below


def _held(parent: torch.nn.Module) -> Iterator[tuple[str, torch.nn.Module]]:
    """Modules in plain lists and dicts of a module: not registered, so that `.to()` and `.half()` pass them by."""
    for name, value in list(vars(parent).items()):
        items = (
            value.items() if isinstance(value, dict) else enumerate(value if isinstance(value, (list, tuple)) else ())
        )
        for key, held in items:
            if isinstance(held, torch.nn.Module) and not name.startswith("_"):
                yield f"{name}[{key!r}]", held


def _running(frame: FrameType | None) -> Iterator[torch.nn.Module]:
    while frame is not None:
        if frame.f_code is CALL:
            module = frame.f_locals.get("self")
            if isinstance(module, torch.nn.Module):
                yield module
        frame = frame.f_back


def roots(frames: Iterable[FrameType]) -> Iterator[tuple[str, torch.nn.Module]]:
    """Modules that variables of the user's frames hold, outermost frame first (that is where the whole model is)."""
    for frame in reversed(list(frames)):
        for scope in (frame.f_locals, frame.f_globals):
            for name, value in list(scope.items()):
                if issubclass(type(value), torch.nn.Module):  # not `isinstance`: it asks a lazy object for its class
                    yield (type(value).__name__ if name == "self" else name), value
                elif not issubclass(type(value), (type, ModuleType)):
                    for attribute, part in _attributes(value):
                        yield f"{name}.{attribute}", part


def _attributes(value: object) -> list[tuple[str, torch.nn.Module]]:
    """The modules that an object of the program's holds: `models.unet`, `self.vae` of a trainer."""
    try:
        held = object.__getattribute__(value, "__dict__")
        return [(name, part) for name, part in list(held.items()) if issubclass(type(part), torch.nn.Module)]
    except AttributeError:  # without a __dict__
        return []


def _below(root: torch.nn.Module, wanted: torch.nn.Module) -> str | None:
    return next((name for name, module in root.named_modules() if module is wanted), None)
