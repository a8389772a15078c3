"""Read an overlay's layer: what a program wrote and deleted.

Overlayfs leaves in the upper folder each file as it is now; a character device 0/0 where something was deleted; and
the attribute `user.overlay.opaque` on a folder that was deleted and made again (kernel: Documentation/filesystems/
overlayfs.rst).
"""

from __future__ import annotations

import filecmp
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import suppress

from ..core.event import Effect
from .mounts import Covered, Root

_OVERLAYS = "user.overlay."
_OPAQUE = f"{_OVERLAYS}opaque"


def effects(root: Root) -> tuple[Effect, ...]:
    """Return every file that differs from the disk's, and every path of the disk that is gone; sorted."""
    written: set[str] = set()
    deleted: set[str] = set()
    for one in root.covered:
        _compare(one, written, deleted)
    for path, names in root.made.items():
        written.update(os.path.join(path, name) for name in set(_names(path)) - names)
    told = [Effect(kind="written", what=path) for path in sorted(written)]
    return (*told, *(Effect(kind="deleted", what=path) for path in sorted(deleted)))


def keep(root: Root, folder: int) -> None:
    """Copy what was written to `folder`, an open folder outside of the view, each file below its absolute path."""
    for one in root.covered:
        keep_folder(f"/proc/self/fd/{one.upper}", one.path, f"/proc/self/fd/{folder}")


def keep_folder(changed: str, path: str, kept: str) -> None:
    """Copy the files below `changed`, the layer's folder for `path`."""
    for at, _, files in os.walk(changed):
        inside = os.path.relpath(at, changed)
        for name in files:
            there = os.path.normpath(f"{kept}/{path}/{inside}/{name}")
            if _kind(f"{at}/{name}") not in (stat.S_IFREG, stat.S_IFLNK) or _skipped(
                name
            ):
                continue
            os.makedirs(os.path.dirname(there), exist_ok=True)
            shutil.copy2(f"{at}/{name}", there, follow_symlinks=False)


def _compare(one: Covered, written: set[str], deleted: set[str]) -> None:
    upper, lower = f"/proc/self/fd/{one.upper}", f"/proc/self/fd/{one.lower}"
    for at, folders, files in os.walk(upper):
        inside = os.path.relpath(at, upper)
        path = os.path.normpath(os.path.join(one.path, inside))
        below = os.path.join(lower, inside)
        deleted.update(os.path.join(path, name) for name in _hidden(at, below))
        if inside != "." and _is_changed_folder(
            at, below, empty=not folders and not files
        ):
            written.add(path)
        for name in (
            *files,
            *(name for name in folders if os.path.islink(f"{at}/{name}")),
        ):
            _compare_file(
                f"{at}/{name}",
                os.path.join(below, name),
                os.path.join(path, name),
                written,
                deleted,
            )


def _compare_file(
    here: str, there: str, path: str, written: set[str], deleted: set[str]
) -> None:
    if _skipped(path):
        return
    if _kind(here) == stat.S_IFCHR and os.lstat(here).st_rdev == 0:
        deleted.add(path)
    elif not _same(here, there):
        written.add(path)


def _hidden(here: str, there: str) -> Iterator[str]:
    """Yield what a folder of the disk has that is not in the one that was made in its place."""
    if _opaque(here):
        yield from (
            name for name in _names(there) if not os.path.lexists(f"{here}/{name}")
        )


def _is_changed_folder(here: str, there: str, *, empty: bool) -> bool:
    """Check whether a folder itself is reported: a new empty one, or one whose mode or owner has changed."""
    if os.path.isdir(there):
        return not _alike(here, there)
    return empty and not os.path.lexists(there)


def _skipped(name: str) -> bool:
    return name.endswith(".pyc")


def _names(folder: str) -> Iterator[str]:
    with suppress(OSError):
        yield from os.listdir(folder)


def _opaque(folder: str) -> bool:
    try:
        return os.getxattr(folder, _OPAQUE) == b"y"
    except OSError:
        return False


def _kind(path: str) -> int:
    return stat.S_IFMT(os.lstat(path).st_mode)


def _alike(here: str, there: str) -> bool:
    """Check whether mode, owner and attributes are those of the disk."""
    now, before = os.lstat(here), os.lstat(there)
    owned = (now.st_mode, now.st_uid, now.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )
    return owned and _attributes(here) == _attributes(there)


def _attributes(path: str) -> dict[str, bytes]:
    """Return the attributes that the program can set, and that overlayfs copies."""
    found = {}
    with suppress(OSError):
        for name in os.listxattr(path, follow_symlinks=False):
            if name.startswith("user.") and not name.startswith(_OVERLAYS):
                found[name] = os.getxattr(path, name, follow_symlinks=False)
    return found


def _same(here: str, there: str) -> bool:
    """Check whether a file was only opened for writing, or changed and changed back."""
    try:
        now, before = os.lstat(here), os.lstat(there)
    except OSError:
        return False
    if now.st_size != before.st_size or not _alike(here, there):
        return False
    if stat.S_ISLNK(now.st_mode):
        return os.readlink(here) == os.readlink(there)
    if now.st_mtime_ns == before.st_mtime_ns:
        return True
    return stat.S_ISREG(now.st_mode) and filecmp.cmp(here, there, shallow=False)
