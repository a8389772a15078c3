"""Writes changed files: all of one at once, and only over what was read."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress


class ChangedError(Exception):
    """A file is not what it was when the program was checked; the message is one line."""


def write(files: Mapping[str, tuple[bytes, bytes]]) -> None:
    """Each file gets its new bytes if it still has its old ones; permissions stay, and links stay links.

    Raises ChangedError before anything is written, OSError.
    """
    for path, (old, _) in files.items():
        try:
            with open(path, "rb") as file:
                same = file.read() == old
        except FileNotFoundError:
            same = False
        if not same:
            raise ChangedError(f"{path} has changed since it was checked; nothing was written")
    for path, (_, new) in files.items():
        _replaced(os.path.realpath(path), new)


def _replaced(path: str, data: bytes) -> None:
    mode = os.stat(path).st_mode
    with tempfile.NamedTemporaryFile("wb", dir=os.path.dirname(path), prefix=".miscast-", delete=False) as copy:
        try:
            copy.write(data)
            copy.flush()
            os.fsync(copy.fileno())
            os.chmod(copy.name, mode)
            os.replace(copy.name, path)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(copy.name)
            raise
