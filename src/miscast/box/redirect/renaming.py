"""Renames in the layer: what lies on the disk is not copied, it is noted where it is to be found now."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING, Any

from . import real
from .changing import fail, hide, parent
from .listing import entries

if TYPE_CHECKING:
    from .layer import Layer
    from .union import Union


def rename(
    layer: Layer,
    src: Any,
    dst: Any,
    *,
    src_dir_fd: int | None = None,
    dst_dir_fd: int | None = None,
) -> None:
    """Run `os.rename` and `os.replace`: the target is replaced (on Windows `rename` itself refuses an existing one)."""
    union = layer.union
    old = layer.name(src, src_dir_fd, follow=False)
    new = layer.name(dst, dst_dir_fd, follow=False)
    source, target = union.source(old), union.source(new)
    if source is None:
        raise fail(errno.ENOENT, src, dst)
    _fits(union, source, target, (old, new), (src, dst))
    if old == new:
        return
    parent(layer, old)
    parent(layer, new)
    layer.note("written", new)
    layer.note("deleted", old)
    _clear(layer, new)
    at = union.lower(old)
    kept = at if at is not None and real.linked(at) else None
    upper = union.upper(old)
    if real.linked(upper):
        whole = not stat.S_ISDIR(real.lstat(upper).st_mode)
        real.rename(upper, union.upper(new))
        kept = None if whole else kept
    elif source != at:  # another name of a file that was changed under its first
        real.link(source, union.upper(new))
        kept = None
    inside = _moved(union, old, new)
    hide(layer, old)
    hide(layer, new)
    union.mark(new, kept)
    union.marks.update(inside)
    union.forget()


def _fits(
    union: Union,
    source: str,
    target: str | None,
    names: tuple[str, str],
    paths: tuple[Any, Any],
) -> None:
    """Raise what the kernel raises where one cannot take the place of the other."""
    old, new = names
    moves_folder = stat.S_ISDIR(real.lstat(source).st_mode)
    if moves_folder and new.startswith(old + os.sep):
        raise fail(errno.EINVAL, *paths)
    if target is None or old == new:
        return
    onto_folder = stat.S_ISDIR(real.lstat(target).st_mode)
    if moves_folder != onto_folder:
        raise fail(errno.ENOTDIR if moves_folder else errno.EISDIR, *paths)
    if onto_folder and entries(union, new):
        raise fail(errno.ENOTEMPTY, *paths)


def _clear(layer: Layer, new: str) -> None:
    """Remove the layer's part of an empty folder or a file in the way."""
    upper = layer.union.upper(new)
    if real.linked(upper):
        (real.rmdir if stat.S_ISDIR(real.lstat(upper).st_mode) else real.unlink)(upper)
        layer.union.forget()


def _moved(union: Union, old: str, new: str) -> dict[str, dict[str, str | None]]:
    """Return what was noted inside a folder, by the names that it has now."""
    inside = old + os.sep
    return {
        new + above[len(old) :]: dict(marks)
        for above, marks in union.marks.items()
        if above == old or above.startswith(inside)
    }
