"""Files that the program saves while it is checked: kept in memory, never written over what is on disk.

A real run writes gigabytes; a checked one has none to write. A path that does not exist gets a small placeholder, so
that the program finds "its" file again, and the placeholder goes when the check ends. One that exists stays as it is.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

PLACEHOLDER = b"MISCAST placeholder of a file saved during a check\n"


class SavedFiles:
    """What was saved under which path."""

    def __init__(self) -> None:
        """Nothing yet."""
        self._content: dict[str, Any] = {}
        self._placeholders: list[Path] = []

    def put(self, path: Any, content: Any) -> None:
        """Remember `content` as what is in the file now."""
        file = Path(os.fspath(path))
        if not file.parent.is_dir():
            raise RuntimeError(f"Parent directory {file.parent} does not exist.")
        if not file.exists():
            file.write_bytes(PLACEHOLDER)
            self._placeholders.append(file)
        self._content[os.path.realpath(file)] = content

    def has(self, path: Any) -> bool:
        """Whether the program saved this file."""
        return isinstance(path, (str, os.PathLike)) and self._path(path) in self._content

    def get(self, path: Any) -> Any:
        """What the program saved there."""
        return self._content[self._path(path)]

    def _path(self, path: str | os.PathLike[str]) -> str:
        """The file, also where the program renamed its folder (a checkpoint written aside and moved into place)."""
        return os.path.realpath(os.fspath(path))

    def remove_placeholders(self) -> None:
        """Leave no trace on disk, wherever the program moved its files."""
        for file in self._placeholders:
            try:
                if file.read_bytes() == PLACEHOLDER:
                    file.unlink()
            except OSError:
                continue  # the program removed or moved it
