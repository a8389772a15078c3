"""Files written as a whole: whoever reads one sees what it had or what it has, and never a part."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """What is written in the block takes the file's place at its end; where that fails, nothing has changed.

    Permissions stay, and a link stays a link. Raises OSError.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(
        target
    ):  # a device or a pipe has no contents to replace
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
        with suppress(
            FileNotFoundError
        ):  # it is a new one, with the mode that any new file gets
            os.chmod(copy, os.stat(target).st_mode)
        os.replace(copy, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(copy)
        raise


def write_atomically(path: str | os.PathLike[str], data: bytes) -> None:
    """These bytes are the file's contents, or, where that fails, those that it had: OSError."""
    with replacing(path) as file:
        file.write(data)
