"""Questions about files and folders: `os.stat`, `os.listdir`, `os.scandir`, `os.getcwd` and the like ask the layer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ...running.process.patching import Patch
from . import real
from .listing import Entry, Scan, entries, untouched
from .spoken import alike, spoken

if TYPE_CHECKING:
    from .layer import Layer

_FOLLOW = ("stat", "access", "statvfs", "pathconf", "getxattr", "listxattr")
_NOT = ("lstat", "readlink")


def patches(layer: Layer) -> Iterator[Patch]:
    """Yield each in `os` and in the module that `os` has it from."""
    wanted: dict[str, Any] = {
        name: _asked(layer, name, True) for name in _FOLLOW if hasattr(real, name)
    }
    wanted |= {name: _asked(layer, name, False) for name in _NOT if hasattr(real, name)}
    if "access" in wanted:
        wanted["access"] = _access(wanted["access"])
    wanted |= {"listdir": _listdir(layer), "scandir": _scandir(layer)}
    wanted |= {
        "getcwd": lambda: _cwd(layer),
        "getcwdb": lambda: os.fsencode(_cwd(layer)),
        "chdir": _chdir(layer),
    }
    if hasattr(real, "fchdir"):
        wanted["fchdir"] = _chdir(layer)
    for name, value in wanted.items():
        alike(value, getattr(real, name))
        for owner in (os, real.PLATFORM):
            yield Patch(owner, name, value)


def _asked(layer: Layer, name: str, follow: bool) -> Callable[..., Any]:
    original = getattr(real, name)

    def ask(path: Any, *args: Any, **options: Any) -> Any:
        if layer.still or not layer.on or type(path) is int:
            return original(path, *args, **options)
        if options:
            at = layer.reading(
                path, options.get("dir_fd"), options.get("follow_symlinks", follow)
            )
        else:
            at = layer.reading(path, None, follow)
        if at is path:
            return original(path, *args, **options)
        options.pop("dir_fd", None)
        with spoken(at, path):
            return original(at, *args, **options)

    return alike(ask, original)  # type: ignore[no-any-return]


def _access(ask: Callable[..., Any]) -> Callable[..., bool]:
    def access(path: Any, mode: int, **options: Any) -> bool:
        try:
            return bool(ask(path, mode, **options))
        except FileNotFoundError:
            return False

    return access


def _listdir(layer: Layer) -> Callable[..., list[Any]]:
    original = real.listdir

    def listdir(path: Any = None) -> list[Any]:
        if not layer.on:
            return list(original(path))
        name = _folder_of(layer, path)
        if name is None:
            return list(original(path))
        if untouched(layer.union, name):
            return list(original(path if not layer.drifted else name))
        _is_folder(layer, name, path)
        found = entries(layer.union, name)
        if isinstance(path, bytes):
            return [os.fsencode(entry) for entry in found]
        return found

    return listdir


def _folder_of(layer: Layer, path: Any) -> str | None:
    if isinstance(path, int):
        return layer.of_fd(path)
    return layer.name("." if path is None else path)


def _is_folder(layer: Layer, name: str, path: Any) -> None:
    """Raise the same error as the original, if it is not a folder."""
    at = layer.reading(name)
    if not os.path.isdir(at):
        with spoken(at, path):
            real.listdir(at)


def _scandir(layer: Layer) -> Callable[..., Any]:
    original = real.scandir

    def scandir(path: Any = None) -> Any:
        if not layer.on:
            return original(path)
        name = _folder_of(layer, path)
        if name is None or (
            untouched(layer.union, name) and not layer.drifted and not layer.union.twins
        ):
            return original(path)
        _is_folder(layer, name, path)
        found = entries(layer.union, name)
        return Scan(_entry(layer, name, entry, path) for entry in found)

    return scandir


def _entry(layer: Layer, name: str, entry: str, path: Any) -> Entry:
    inner = os.path.join(name, entry)
    if isinstance(path, int):
        return Entry(layer, inner, entry, entry)
    given = "." if path is None else os.fspath(path)
    shown: Any = os.fsencode(entry) if isinstance(given, bytes) else entry
    return Entry(layer, inner, shown, os.path.join(given, shown))


def _cwd(layer: Layer) -> str:
    return layer.union.cwd if layer.on and layer.drifted else str(real.getcwd())


def _chdir(layer: Layer) -> Callable[[Any], None]:
    """Return the process goes there, too: into the layer's part of a folder that the disk does not have."""

    def chdir(path: Any) -> None:
        if not layer.on:
            real.chdir(path)
            return
        name = layer.of_fd(path) if isinstance(path, int) else layer.name(path)
        if name is None:
            real.chdir(path)
            return
        at = layer.reading(name)
        with spoken(at, path):
            real.chdir(at)
        layer.union.cwd, layer.drifted = name, at != name
        layer.union.forget()

    return chdir
