"""`open`, `io.FileIO`, `io.open_code` and `os.open`: files that are written are the layer's."""

from __future__ import annotations

import _io
import builtins
import io
import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ...running.process.patching import Patch
from . import real
from .changing import WRITES, open_for_writing
from .spoken import alike, of_os, spoken

if TYPE_CHECKING:
    from .layer import Layer

_READS = frozenset({"r", "rb", "rt", "br", "tr", "rU"})
_CREATES = 0o666  # before the umask, as Python's own open


def patches(layer: Layer) -> Iterator[Patch]:
    """Yield the functions and the class, wherever Python keeps them."""
    opened = _open(layer)
    for owner in (builtins, io, _io):
        yield Patch(owner, "open", opened)
    code = _open_code(layer)
    file = _file_io(layer)
    for owner in (io, _io):
        yield Patch(owner, "open_code", code)
        yield Patch(owner, "FileIO", file)
    yield from of_os({"open": partial(_os_open, layer)})


def _os_open(layer: Layer, original: Any) -> Callable[..., int]:
    def open(  # noqa: A001 - its name
        path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None
    ) -> int:
        if not layer.on or type(path) is int:
            return int(original(path, flags, mode, dir_fd=dir_fd))
        if flags & WRITES:
            return open_for_writing(layer, path, flags, mode, dir_fd)
        at = layer.reading(path, dir_fd, not flags & getattr(os, "O_NOFOLLOW", 0))
        with spoken(at, path):
            fd = int(original(at, flags, mode, dir_fd=dir_fd if at is path else None))
        return layer.opened(fd, layer.name(path, dir_fd))

    return open


def _opener(layer: Layer, file: Any, mode: str, given: Any) -> Any:
    """Return the opener with which `open` and FileIO come to the layer's file, whose `name` stays the program's.

    None: the original opens it by itself. `given` is the program's own opener.
    """
    if not layer.on:
        return None
    if given is not None:
        return partial(_watched, layer, given)
    if not isinstance(file, (str, bytes, os.PathLike)):
        return None
    if mode not in _READS:
        return partial(_written, layer)
    if layer.still or layer.reading(file) is file:
        return None
    return partial(_read, layer)


def _watched(
    layer: Layer, opener: Callable[[Any, int], int], path: Any, flags: int
) -> int:
    """Call the program's own opener: what it does is looked at again."""
    depth, layer.mine.depth = layer.mine.depth, 0
    try:
        return opener(path, flags)
    finally:
        layer.mine.depth = depth


def _written(layer: Layer, path: Any, flags: int) -> int:
    layer.mine.depth -= 1  # raised by whoever called the original: its audit event names the program's own path
    try:
        return open_for_writing(layer, path, flags, _CREATES)
    finally:
        layer.mine.depth += 1


def _read(layer: Layer, path: Any, flags: int) -> int:
    at = layer.reading(path)
    with spoken(at, path):
        return int(real.open(at, flags))


def _open(layer: Layer) -> Callable[..., Any]:
    original = real.open_file

    def open(  # noqa: A001, PLR0913 - its name and its arguments
        file: Any,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
        closefd: bool = True,
        opener: Any = None,
    ) -> Any:
        opened = partial(
            original, file, mode, buffering, encoding, errors, newline, closefd
        )
        ours = _opener(layer, file, mode, opener)
        if ours is None:
            return opened(opener)
        with layer.past_the_guard():
            return opened(ours)

    return alike(open, original)  # type: ignore[no-any-return]


def _open_code(layer: Layer) -> Callable[[str], Any]:
    original = io.open_code  # a trial of `fix` may have put changed sources there

    def open_code(path: str) -> Any:
        if layer.on and not layer.still and (at := layer.reading(path)) is not path:
            with spoken(at, path):
                return real.open_code(at)
        return original(path)

    return alike(open_code, real.open_code)  # type: ignore[no-any-return]


def _file_io(layer: Layer) -> type:
    """Return a FileIO that knows the layer; files that the originals made are instances of it."""

    class Kind(type):
        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, real.FileIO)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return issubclass(subclass, real.FileIO)

    class FileIO(real.FileIO, metaclass=Kind):  # type: ignore[metaclass]
        __module__ = "_io"

        def __init__(
            self, file: Any, mode: str = "r", closefd: bool = True, opener: Any = None
        ) -> None:
            ours = _opener(layer, file, mode, opener)
            if ours is None:
                super().__init__(file, mode, closefd, opener)
                return
            with layer.past_the_guard():
                super().__init__(file, mode, closefd, ours)

    return FileIO
