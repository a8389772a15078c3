"""Questions about files and folders: `os.stat`, `os.listdir`, `os.scandir`, `os.getcwd` and the like ask the layer."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ...running.process.patching import Patch
from . import real
from .listing import Entry, Scan, entries, untouched
from .spoken import of_os, spoken

if TYPE_CHECKING:
    from .layer import Layer

_FOLLOW = ("stat", "statvfs", "pathconf", "getxattr", "listxattr")


def patches(layer: Layer) -> Iterator[Patch]:
    """Yield each of them."""
    asked = partial(_asked, layer)
    return of_os(
        {
            **dict.fromkeys(_FOLLOW, partial(asked, True)),
            **dict.fromkeys(("lstat", "readlink"), partial(asked, False)),
            "access": lambda original: _access(asked(True, original)),
            "listdir": partial(_listdir, layer),
            "scandir": partial(_scandir, layer),
            "getcwd": lambda _: lambda: _cwd(layer),
            "getcwdb": lambda _: lambda: os.fsencode(_cwd(layer)),
            **dict.fromkeys(("chdir", "fchdir"), lambda _: _chdir(layer)),
        }
    )


def _asked(layer: Layer, follow: bool, original: Any) -> Callable[..., Any]:
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

    return ask


def _access(ask: Callable[..., Any]) -> Callable[..., bool]:
    def access(path: Any, mode: int, **options: Any) -> bool:
        try:
            return bool(ask(path, mode, **options))
        except FileNotFoundError:
            return False

    return access


def _listdir(layer: Layer, original: Any) -> Callable[..., list[Any]]:
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


def _scandir(layer: Layer, original: Any) -> Callable[..., Any]:
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
