"""Files written as a whole: whoever reads one sees what it had or what it has, and never a part."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Replace the file, at the end of the block, by what was written in it; if that fails, nothing has changed.

    Owner and permissions stay, and a link stays a link. Raises OSError.
    """
    target = os.path.realpath(path)
    # a device or a pipe has no contents to replace
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as device:
            yield device
        return
    copy = os.path.join(os.path.dirname(target), f".miscast-{os.urandom(6).hex()}")
    try:
        file = open(copy, "xb")  # noqa: SIM115 - closed below
    except OSError as error:
        error.filename = os.fspath(path)
        raise
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        _make_alike(copy, target)
        os.replace(copy, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(copy)
        raise


def _make_alike(copy: str, target: str) -> None:
    """Copy owner and permissions of the target, if it exists; else keep those of a new file."""
    try:
        old = os.stat(target)
    except FileNotFoundError:
        return
    # root, in a container, writes what is another user's; who is not root owns it already
    with suppress(PermissionError):
        os.chown(copy, old.st_uid, old.st_gid)
    os.chmod(copy, old.st_mode)


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """Write these bytes as the file's contents. Raises OSError, with the file unchanged, if that fails."""
    with replacing(path) as file:
        file.write(data)
