"""List a folder: the names of the layer and of the disk, without deleted ones."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import real

if TYPE_CHECKING:
    from .layer import Layer
    from .union import Union


def entries(union: Union, name: str) -> list[str]:
    """Return the names in a folder.

    Raises:
        OSError: there is no such folder, or it may not be read.
    """
    upper, marks = union.upper(name), union.marks.get(name, {})
    found = _on_disk(union, name, marks)
    if real.linked(upper):
        found = _joined(found or [], real.listdir(upper))
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    return _joined(
        found,
        [entry for entry, at in marks.items() if at is not None and real.linked(at)],
    )


def _on_disk(union: Union, name: str, marks: dict[str, str | None]) -> list[str] | None:
    """Return what the disk still has of a folder; None where it has none, or the layer has a file in its place."""
    upper, lower = union.upper(name), union.lower(name)
    if lower is None or (
        real.linked(upper) and not stat.S_ISDIR(real.lstat(upper).st_mode)
    ):
        return None
    try:
        return [entry for entry in real.listdir(lower) if entry not in marks]
    except FileNotFoundError:
        return None


def _joined(names: list[str], more: list[str]) -> list[str]:
    seen = set(names)
    return names + [name for name in more if name not in seen]


def untouched(union: Union, name: str) -> bool:
    """Check whether a folder has the disk's own names: the original may list it."""
    return not union.marks.get(name) and union.perhaps(name) == name


class Entry(os.PathLike):  # type: ignore[type-arg]
    """An `os.DirEntry` of a folder that differs from the disk's: asks the layer."""

    __slots__ = ("_layer", "_name", "name", "path")

    def __init__(self, layer: Layer, name: str, shown: Any, path: Any) -> None:
        """Take `shown` and `path` in the program's spelling, `name` in the layer's."""
        self._layer, self._name = layer, name
        self.name, self.path = shown, path

    def __fspath__(self) -> Any:
        return self.path

    def __repr__(self) -> str:
        return f"<DirEntry {self.name!r}>"

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Return the same as os.stat."""
        if not self._layer.on:
            return os.stat(self.path, follow_symlinks=follow_symlinks)
        at = self._layer.reading(self._name, None, follow_symlinks)
        return real.stat(at, follow_symlinks=follow_symlinks)  # type: ignore[no-any-return]

    def _mode(self, follow_symlinks: bool) -> int:
        try:
            return self.stat(follow_symlinks=follow_symlinks).st_mode
        except FileNotFoundError:
            return 0

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Return the same as os.DirEntry.is_dir."""
        return stat.S_ISDIR(self._mode(follow_symlinks))

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Return the same as os.DirEntry.is_file."""
        return stat.S_ISREG(self._mode(follow_symlinks))

    def is_symlink(self) -> bool:
        """Return the same as os.DirEntry.is_symlink."""
        return stat.S_ISLNK(self._mode(False))

    def is_junction(self) -> bool:
        """Return the same as os.DirEntry.is_junction: False, as a layer has none."""
        return False

    def inode(self) -> int:
        """Return the same as os.DirEntry.inode."""
        return self.stat(follow_symlinks=False).st_ino


class Scan:
    """The result of os.scandir: an iterator that can be closed."""

    def __init__(self, found: Iterator[Entry]) -> None:
        self._found = found

    def __iter__(self) -> Iterator[Entry]:
        return self

    def __next__(self) -> Entry:
        return next(self._found)

    def __enter__(self) -> Scan:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Drop the remaining entries."""
        self._found = iter(())
