"""Writes changed files: all of one at once, and only over what was read."""

from __future__ import annotations

from collections.abc import Mapping

from ...core.atomic_write import write_atomically


class ChangedError(Exception):
    """A file is not what it was when the program was checked; the message is one line."""


def write(files: Mapping[str, tuple[bytes, bytes]]) -> None:
    """Write each file's new bytes if its old ones are unchanged; permissions and links are kept.

    Raises ChangedError before anything is written, OSError.
    """
    for path, (old, _) in files.items():
        try:
            with open(path, "rb") as file:
                same = file.read() == old
        except FileNotFoundError:
            same = False
        if not same:
            raise ChangedError(
                f"{path} has changed since it was checked; nothing was written"
            )
    for path, (_, new) in files.items():
        write_atomically(path, new)
