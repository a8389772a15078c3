"""Find `os` and `io` functions that Python's library took at import: class attributes, defaults."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any

from ...running.process.patching import Patch

_MODULES = (
    "pathlib", "pathlib._local", "pathlib._abc", "pathlib._os", "glob", "tempfile", "shutil",
)  # fmt: skip
_SETS = (
    "supports_dir_fd", "supports_fd", "supports_follow_symlinks", "supports_effective_ids",
)  # fmt: skip


def patches(swaps: Mapping[int, tuple[Any, Any]]) -> Iterator[Patch]:
    """Yield patches for other holders of originals; `swaps` maps an original's address to it and its replacement.

    `pathlib._NormalAccessor` of Python 3.10, `glob`'s classes of 3.13, the closers of `tempfile`; and the sets by which
    `os` says what its functions can.
    """
    for name in _SETS:
        functions: set[Any] = getattr(os, name, set())
        more = {
            new for old, new in swaps.values() if _hashable(old) and old in functions
        }
        yield Patch(os, name, functions | more)
    for name in _MODULES:
        module = sys.modules.get(name)
        for cls in list(vars(module).values()) if module is not None else ():
            if isinstance(cls, type) and cls.__module__ == name:
                yield from _of_class(cls, swaps)


def _hashable(value: Any) -> bool:
    return type(value).__hash__ is not None


def _of_class(cls: type, swaps: Mapping[int, tuple[Any, Any]]) -> Iterator[Patch]:
    for name, raw in list(vars(cls).items()):
        value = raw.__func__ if isinstance(raw, staticmethod) else raw
        if id(value) in swaps:
            yield Patch(cls, name, staticmethod(swaps[id(value)][1]))
        elif isinstance(raw, FunctionType) and any(
            id(default) in swaps for default in raw.__defaults__ or ()
        ):
            defaults = tuple(
                swaps.get(id(default), (0, default))[1]
                for default in raw.__defaults__ or ()
            )
            copy = FunctionType(
                raw.__code__, raw.__globals__, raw.__name__, defaults, raw.__closure__
            )
            copy.__kwdefaults__ = raw.__kwdefaults__
            copy.__qualname__, copy.__doc__ = raw.__qualname__, raw.__doc__
            yield Patch(cls, name, copy)
