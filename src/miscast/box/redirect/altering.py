"""`os.mkdir`, `os.unlink`, `os.rename`, `os.chmod` and the like: done in the layer."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ...running.process.patching import Patch
from . import real
from .changing import (
    dress,
    fail,
    make_folder,
    make_link,
    make_name,
    make_special,
    remove_file,
    remove_folder,
)
from .renaming import rename
from .spoken import of_os

if TYPE_CHECKING:
    from .layer import Layer

_DRESSED = ("chmod", "chown", "utime", "truncate", "setxattr", "removexattr", "chflags")
_UNFOLLOWED = {"lchmod": "chmod", "lchown": "chown", "lchflags": "chflags"}
_BY_FD = {"fchmod": "chmod", "fchown": "chown", "ftruncate": "truncate"}


def patches(layer: Layer) -> Iterator[Patch]:
    """Yield each of them."""
    bound, dressed = partial(_bound, layer), partial(_dressed, layer)
    made: dict[str, Callable[[Any], Callable[..., Any]]] = {
        name: partial(bound, change) for name, change in _MADE.items()
    }
    for name in ("mkfifo", "mknod"):
        made[name] = lambda original: bound(partial(_special, original), original)
    for name in _DRESSED:
        made[name] = partial(dressed, name, True)
    for name, plain in _UNFOLLOWED.items():
        made[name] = partial(dressed, plain, False)
    for name, plain in _BY_FD.items():
        by_path = getattr(real, plain, None)
        made[name] = partial(dressed, plain, True, by_path=by_path)
    return of_os(made)


def _bound(layer: Layer, made: Callable[..., Any], original: Any) -> Callable[..., Any]:
    """Bind a function to this layer; call the original once it is off."""

    def change(*args: Any, **options: Any) -> Any:
        if not layer.on:
            return original(*args, **options)
        with layer.lock:
            return made(layer, *args, **options)

    return change


def _special(
    original: Any,
    layer: Layer,
    path: Any,
    *args: Any,
    dir_fd: int | None = None,
    **options: Any,
) -> None:
    make_special(layer, path, original, *args, *options.values(), dir_fd=dir_fd)


def _rename(layer: Layer, src: Any, dst: Any, **fds: Any) -> None:
    if (
        os.name == "nt"
        and layer.union.source(layer.name(dst, follow=False)) is not None
    ):
        raise fail(errno.EEXIST, src, dst)
    rename(layer, src, dst, **fds)


_MADE: Mapping[str, Callable[..., Any]] = {
    "mkdir": make_folder, "unlink": remove_file, "remove": remove_file, "rmdir": remove_folder, "replace": rename,
    "rename": _rename, "symlink": make_link, "link": make_name,
}  # fmt: skip


def _dressed(
    layer: Layer, name: str, follow: bool, original: Any, *, by_path: Any = None
) -> Callable[..., Any]:
    """Wrap a change by path, or by an fd, which is replaced by its path if it is a file of the disk."""

    def change(path: Any, *args: Any, dir_fd: int | None = None, **options: Any) -> Any:
        fds = {} if dir_fd is None else {"dir_fd": dir_fd}
        if not layer.on:
            return original(path, *args, **fds, **options)
        if isinstance(path, int):
            of = _touched(layer, path)
            if of is None:
                return original(path, *args, **options)
            path = of
        with layer.lock:
            upper = dress(
                layer, path, name, dir_fd, options.get("follow_symlinks", follow)
            )
            return (by_path or original)(upper, *args, **options)

    return change


def _touched(layer: Layer, fd: int) -> str | None:
    """Return the path of an fd to a file of the disk; None for harmless ones: the layer's own files, pipes."""
    try:
        kind = real.fstat(fd).st_mode
        path = real.readlink(f"/proc/self/fd/{fd}")
    except OSError:
        return None
    if (
        not (stat.S_ISREG(kind) or stat.S_ISDIR(kind))
        or path.startswith(layer.union.folder)
        or not real.linked(path)
    ):
        return None
    return layer.of_fd(fd)
