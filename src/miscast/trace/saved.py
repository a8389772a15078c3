"""Files that the program saves while it is checked: kept in memory, never written over what is on disk.

A real run writes gigabytes; a checked one has none to write. A path that does not exist gets a small placeholder, so
that the program finds "its" file again, also where it renames or copies it (a checkpoint written aside and moved into
place); placeholders go when the check ends. A file that exists stays as it is.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from .theirs import theirs

PLACEHOLDER = b"MISCAST placeholder of a file saved during a check, "


class SavedFiles:
    """What was saved under which path."""

    def __init__(self, *, boxed: bool = False) -> None:
        """Nothing yet. `boxed`: nothing on disk can come to harm, so placeholders stand wherever the program saves."""
        self.boxed = boxed
        self._contents: list[Any] = []
        self._over: dict[str, Any] = {}  # saved under the path of a file that is on disk
        self._placeholders: set[Path] = set()

    def put(self, path: Any, content: Any) -> None:
        """Remember `content` as what is in the file now."""
        file = Path(os.path.realpath(path))
        if not file.parent.is_dir():
            raise RuntimeError(f"Parent directory {file.parent} does not exist.")
        if not self.boxed and file.exists() and _number(file) is None:
            self._over[str(file)] = content
            return
        theirs(file.write_bytes, PLACEHOLDER + str(len(self._contents)).encode())
        self._contents.append(content)
        if not self.boxed:
            self._placeholders.add(file)

    def has(self, path: Any) -> bool:
        """Whether the program saved this file."""
        if not isinstance(path, (str, os.PathLike)):
            return False
        return os.path.realpath(path) in self._over or _number(path) is not None

    def get(self, path: Any) -> Any:
        """What the program saved there."""
        number = _number(path)
        return self._over[os.path.realpath(path)] if number is None else self._contents[number]

    def moved(self, source: Any, target: Any) -> None:
        """The program moves a file that it saved: nothing on disk but placeholders changes."""
        self.copied(source, target)
        file = Path(os.path.realpath(source))
        self._over.pop(str(file), None)
        if file in self._placeholders:
            self._placeholders.discard(file)
            theirs(file.unlink)

    def copied(self, source: Any, target: Any) -> None:
        """The program copies a file that it saved."""
        self.put(target, self.get(source))

    def folder_moved(self, source: Any, target: Any) -> None:
        """The program moved a folder, and what it saved there with it."""
        old, new = Path(os.path.realpath(source)), Path(os.path.realpath(target))
        self._placeholders = {new / f.relative_to(old) if old in f.parents else f for f in self._placeholders}

    def remove_placeholders(self) -> None:
        """Leave no trace on disk."""
        for file in self._placeholders:
            if _number(file) is not None:
                with suppress(OSError):  # the program may have closed its folder
                    file.unlink()


def _number(path: Any) -> int | None:
    """Which placeholder a file is, or None."""
    try:
        with open(path, "rb") as file:
            head = file.read(len(PLACEHOLDER) + 20)
    except (OSError, ValueError):
        return None
    return int(head[len(PLACEHOLDER) :]) if head.startswith(PLACEHOLDER) else None
