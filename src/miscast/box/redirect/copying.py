"""Files and folders of the disk taken into the layer, before they are changed: bytes, mode, times, attributes."""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from . import real

if TYPE_CHECKING:
    from .union import Union

_CHUNK = 1 << 20


def take(union: Union, name: str, *, empty: bool = False) -> str:
    """Return the layer's own copy of an existing name, made if necessary. `empty`: its bytes are not needed.

    Raises:
        OSError: as reading it raises; ENOENT where nothing has the name.
    """
    source, upper = union.source(name), union.upper(name)
    if source is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    if source == upper:
        return upper
    folder(union, os.path.dirname(name))
    found = real.lstat(source)
    if stat.S_ISDIR(found.st_mode):
        folder(union, name)
    elif stat.S_ISLNK(found.st_mode):
        real.symlink(real.readlink(source), upper)
        _dress(source, upper, found)
        union.forget()
    # another name of a file that was changed under its first
    elif source.startswith(union.folder + os.sep):
        real.link(source, upper)
    else:
        part = f"{union.folder}.{os.getpid()}.{threading.get_ident()}"  # nobody reads half a file
        _copy(source, part, found, empty=empty)
        real.rename(part, upper)
        if found.st_nlink > 1:
            union.twins[found.st_dev, found.st_ino] = upper
    return upper


def folder(union: Union, name: str) -> str:
    """Return the layer's part of an existing folder, made with its parents if necessary.

    Raises:
        OSError: with ENOENT or ENOTDIR, where there is no such folder.
    """
    upper = union.upper(name)
    if real.linked(upper):
        if not stat.S_ISDIR(real.lstat(upper).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
        return upper
    source = union.source(name)
    if source is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    found = real.stat(source)
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), name)
    above = os.path.dirname(name)
    if above != name:
        folder(union, above)
    with suppress(FileExistsError):  # another process of the program was faster
        real.mkdir(upper)
    real.chmod(upper, stat.S_IMODE(found.st_mode) | 0o700)
    real.utime(upper, ns=(found.st_atime_ns, found.st_mtime_ns))
    union.forget()
    return upper


def _copy(source: str, upper: str, found: os.stat_result, *, empty: bool) -> None:
    into = real.open(
        upper, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600
    )
    try:
        if stat.S_ISREG(found.st_mode) and not empty:
            out = real.open(source, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            try:
                _pour(out, into)
            finally:
                real.close(out)
    finally:
        real.close(into)
    _dress(source, upper, found)


def _pour(out: int, into: int) -> None:
    """Copy all bytes; within the kernel if possible (on some file systems that shares the blocks)."""
    quick = getattr(real, "copy_file_range", None)
    moved = 0
    while quick is not None:
        try:
            count = quick(out, into, 1 << 30)
        except OSError:  # across file systems of old kernels, or of /proc
            break
        if not count:
            break
        moved += count
    while data := real.read(out, _CHUNK):
        at = 0
        while at < len(data):
            at += real.write(into, data[at:])


def _dress(source: str, upper: str, found: os.stat_result) -> None:
    """Copy owner, mode, attributes and times, as far as this process may set them."""
    link = stat.S_ISLNK(found.st_mode)
    steps: list[Callable[[], Any]] = []
    if hasattr(real, "lchown"):
        steps.append(lambda: real.lchown(upper, found.st_uid, found.st_gid))
    if not link:
        steps.append(lambda: real.chmod(upper, stat.S_IMODE(found.st_mode)))
    if hasattr(real, "listxattr") and not link:
        steps.append(lambda: _attributes(source, upper))
    if os.utime in os.supports_follow_symlinks or not link:
        steps.append(
            lambda: real.utime(
                upper,
                ns=(found.st_atime_ns, found.st_mtime_ns),
                follow_symlinks=not link,
            )
        )
    for step in steps:
        try:
            step()
        except OSError:  # not the owner, or a file system without attributes: the bytes are what counts
            continue


def _attributes(source: str, upper: str) -> None:
    for key in real.listxattr(source):
        real.setxattr(upper, key, real.getxattr(source, key))
