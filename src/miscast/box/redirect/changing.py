"""Everything that changes a tree of files, done in the layer: each function is what the kernel does, as to its errors.

Names are those of `Union`. The disk's own refusals (a folder without the right to write) are asked of the disk.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Any

from . import real
from .copying import folder, take
from .listing import entries

if TYPE_CHECKING:
    from .layer import Layer

_ALONE = os.O_CREAT | os.O_EXCL
_NAMELESS = getattr(os, "O_TMPFILE", 0)
WRITES = (
    os.O_WRONLY
    | os.O_RDWR
    | os.O_CREAT
    | os.O_TRUNC
    | (_NAMELESS & ~getattr(os, "O_DIRECTORY", 0))
)


def fail(code: int, path: Any, other: Any = None) -> OSError:
    """Return the OSError of this errno, as the kernel's would be."""
    paths = (path,) if other is None else (path, None, other)
    return OSError(code, os.strerror(code), *paths)


def parent(layer: Layer, name: str) -> str:
    """Return the folder in which something is to be made or removed, taken into the layer.

    Raises:
        OSError: there is no such folder, or the disk would not let this process write there.
    """
    above = os.path.dirname(name)
    source = layer.union.source(above)
    if source is None:
        raise fail(errno.ENOENT, name)
    if not real.access(source, os.W_OK):
        raise fail(errno.EACCES, name)
    layer.still = False
    return folder(layer.union, above)


def hide(layer: Layer, name: str) -> None:
    """Hide everything of the disk below the name."""
    union = layer.union
    inside = name + os.sep
    for above in [a for a in union.marks if a == name or a.startswith(inside)]:
        del union.marks[above]
    union.mark(name, None)


def open_for_writing(
    layer: Layer, path: Any, flags: int, mode: int, dir_fd: int | None = None
) -> int:
    """Run `os.open` with flags that may change the file, and return an fd of the layer's copy."""
    with layer.lock:
        upper = _ready(layer, path, flags, mode, dir_fd)
    if isinstance(upper, int):
        return upper
    try:  # without the lock: to open a pipe is to wait
        return int(real.open(upper, flags, mode))
    except OSError as error:
        raise fail(error.errno or errno.EIO, path) from None


def _ready(
    layer: Layer, path: Any, flags: int, mode: int, dir_fd: int | None
) -> str | int:
    """Return the layer's file to open, made ready; or an fd, where it is something else."""
    union = layer.union
    alone = flags & _ALONE == _ALONE
    name = layer.name(
        path, dir_fd, follow=not (alone or flags & getattr(os, "O_NOFOLLOW", 0))
    )
    source = union.source(name)
    if source is None:
        return _new(layer, path, name, flags)
    if alone:
        raise fail(errno.EEXIST, path)
    kind = real.lstat(source).st_mode
    if stat.S_ISDIR(kind):
        return _nameless(layer, path, name, flags, mode)
    if not stat.S_ISREG(kind) and not source.startswith(union.folder):
        return _special(layer, name, kind, flags)
    if not real.access(source, os.W_OK) and flags & (os.O_WRONLY | os.O_RDWR):
        raise fail(errno.EACCES, path)
    layer.still = False
    layer.note("written", name)
    return take(
        union,
        name,
        empty=bool(flags & os.O_TRUNC) or name.startswith(("/proc/", "/sys/")),
    )


def _new(layer: Layer, path: Any, name: str, flags: int) -> str:
    if not flags & os.O_CREAT:
        raise fail(errno.ENOENT, path)
    parent(layer, name)
    layer.note("written", name)
    return layer.union.upper(name)


def _nameless(layer: Layer, path: Any, name: str, flags: int, mode: int) -> int:
    """Open a nameless file (O_TMPFILE) in the layer's part of the folder. Other writes to a folder are refused."""
    if not _NAMELESS or flags & _NAMELESS != _NAMELESS:
        raise fail(errno.EISDIR, path)
    layer.still = False
    return int(real.open(folder(layer.union, name), flags, mode))


def _special(layer: Layer, name: str, kind: int, flags: int) -> int:
    """Open terminals and GPUs unchanged; discard writes to named pipes and block devices."""
    if stat.S_ISCHR(kind) or name.startswith("/proc/"):
        with layer.past_the_guard():
            return int(real.open(name, flags & ~(os.O_CREAT | os.O_TRUNC)))
    layer.note("written", name, "discarded")
    return int(real.open(os.devnull, flags & (os.O_WRONLY | os.O_RDWR)))


def _free(layer: Layer, path: Any, dir_fd: int | None, *paths: Any) -> str:
    """Return where the layer is to make something new.

    EEXIST, of `paths` if they are given, where the name is taken.
    """
    name = layer.name(path, dir_fd, follow=False)
    if layer.union.source(name) is not None:
        raise fail(errno.EEXIST, *(paths or (path,)))
    parent(layer, name)
    layer.note("written", name)
    return layer.union.upper(name)


def _there(layer: Layer, path: Any, dir_fd: int | None) -> tuple[str, bool]:
    """Return the name of what is to be removed, and whether it is a folder."""
    name = layer.name(path, dir_fd, follow=False)
    source = layer.union.source(name)
    if source is None:
        raise fail(errno.ENOENT, path)
    return name, stat.S_ISDIR(real.lstat(source).st_mode)


def make_folder(
    layer: Layer, path: Any, mode: int = 0o777, *, dir_fd: int | None = None
) -> None:
    """Run `os.mkdir` in the layer."""
    real.mkdir(_free(layer, path, dir_fd), mode)
    layer.union.forget()


def remove_file(layer: Layer, path: Any, *, dir_fd: int | None = None) -> None:
    """Run `os.unlink` in the layer."""
    name, is_folder = _there(layer, path, dir_fd)
    if is_folder:
        raise fail(errno.EISDIR if os.name != "nt" else errno.EACCES, path)
    _take_away(layer, name, real.unlink)


def remove_folder(layer: Layer, path: Any, *, dir_fd: int | None = None) -> None:
    """Run `os.rmdir` in the layer."""
    name, is_folder = _there(layer, path, dir_fd)
    if not is_folder:
        raise fail(errno.ENOTDIR, path)
    if entries(layer.union, name):
        raise fail(errno.ENOTEMPTY, path)
    _take_away(layer, name, real.rmdir)


def _take_away(layer: Layer, name: str, remove: Any) -> None:
    """Remove the layer's part with `remove`, and hide the disk's."""
    parent(layer, name)
    layer.note("deleted", name)
    upper = layer.union.upper(name)
    if real.linked(upper):
        remove(upper)
    hide(layer, name)


def make_link(
    layer: Layer,
    src: Any,
    dst: Any,
    target_is_directory: bool = False,
    *,
    dir_fd: int | None = None,
) -> None:
    """Run `os.symlink` in the layer; `target_is_directory` matters only on Windows."""
    real.symlink(src, _free(layer, dst, dir_fd, src, dst), target_is_directory)
    layer.union.forget()


def make_name(  # noqa: PLR0913 - those of os.link
    layer: Layer,
    src: Any,
    dst: Any,
    *,
    src_dir_fd: int | None = None,
    dst_dir_fd: int | None = None,
    follow_symlinks: bool = False,
) -> None:
    """Run `os.link` in the layer; both names are the layer's, so that writes to one are read by the other."""
    source = layer.name(src, src_dir_fd, follow=follow_symlinks)
    at = layer.union.source(source)
    if at is None:
        raise fail(errno.ENOENT, src, dst)
    if stat.S_ISDIR(real.lstat(at).st_mode):
        raise fail(errno.EPERM, src, dst)
    upper = _free(layer, dst, dst_dir_fd, src, dst)
    real.link(take(layer.union, source), upper)


def make_special(
    layer: Layer, path: Any, make: Any, *args: Any, dir_fd: int | None = None
) -> None:
    """Run `os.mkfifo` or `os.mknod` in the layer; `make` is the original."""
    make(_free(layer, path, dir_fd), *args)


def dress(
    layer: Layer, path: Any, action: str, dir_fd: int | None = None, follow: bool = True
) -> str:
    """Return the layer's copy of a file or folder whose mode, times or attributes are about to change."""
    name = layer.name(path, dir_fd, follow)
    if layer.union.source(name) is None:
        raise fail(errno.ENOENT, path)
    layer.still = False
    upper = take(layer.union, name)
    layer.note("written", name, "" if action == "truncate" else action)
    return upper
