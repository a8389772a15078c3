"""Files that the program saves while it is checked: kept in memory, never written over what is on disk.

A real run writes gigabytes; a checked one has none to write. A path that does not exist gets a small placeholder, so
that the program finds "its" file again, also where it renames or copies it (a checkpoint written aside and moved into
place); placeholders go when the check ends. A file that exists stays as it is.

Other processes of the program find what this one saved: where there are any, the placeholder holds it, too.
"""

from __future__ import annotations

import os
import pickle
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from ..provenance.on_behalf import theirs

_HEAD = b"MISCAST stands here for what a program saved during a check: "
# of this process and its forks, the ranks among them: no file of others is read
_RUN = secrets.token_hex(16).encode()
_LONGEST = len(_HEAD) + len(_RUN) + 64


class SavedFiles:
    """Saved content, by path."""

    def __init__(self, *, boxed: bool = False) -> None:
        """Start with no saved files. If `boxed`, nothing on disk can be harmed, so every save leaves a placeholder."""
        self.boxed = boxed
        self.shared = False  # whether other processes read what this one saves
        self._owner = os.getpid()
        self._contents: dict[bytes, Any] = {}
        # saved under the path of a file that is on disk
        self._over: dict[str, Any] = {}
        self._placeholders: set[Path] = set()

    def ticket(self, content: Any) -> bytes:
        """Return the bytes to write where the program saves `content`: by them it is found again."""
        name = b"%d-%d" % (os.getpid(), len(self._contents))
        self._contents[name] = content
        data = b""
        if self.shared or os.getpid() != self._owner:
            # as torch would not pickle it either; this process has it
            with suppress(Exception):
                data = pickle.dumps(content)
        return b"%s%s %s %d\n%s" % (_HEAD, _RUN, name, len(data), data)

    def redeem(self, file: BinaryIO) -> tuple[Any, bool]:
        """Return what was saved at the file's current position, and whether that is a ticket of this run."""
        name, size = _read(file)
        if name is None:
            return None, False
        if name not in self._contents:
            data = file.read(size)
            if not data:
                raise RuntimeError(
                    "another process of the program saved this object, which cannot be pickled"
                )
            self._contents[name] = pickle.loads(data)  # noqa: S301 - this run's own bytes: the ticket says so
        return self._contents[name], True

    def put(self, path: Any, content: Any) -> None:
        """Record `content` as the file's content."""
        file = Path(os.path.realpath(path))
        if not file.parent.is_dir():
            raise RuntimeError(f"Parent directory {file.parent} does not exist.")
        if not self.boxed and file.exists() and not _is_ticket(file):
            self._over[str(file)] = content
            return
        theirs(file.write_bytes, self.ticket(content))
        if not self.boxed:
            self._placeholders.add(file)

    def has(self, path: Any) -> bool:
        """Check whether the program saved this file."""
        if not isinstance(path, (str, os.PathLike)):
            return False
        return os.path.realpath(path) in self._over or _is_ticket(path)

    def get(self, path: Any) -> Any:
        """Return what the program saved there."""
        with suppress(OSError), open(path, "rb") as file:
            content, found = self.redeem(file)
            if found:
                return content
        return self._over[os.path.realpath(path)]

    def moved(self, source: Any, target: Any) -> None:
        """Move a file that the program saved; on disk only placeholders change."""
        self.copied(source, target)
        file = Path(os.path.realpath(source))
        self._over.pop(str(file), None)
        if file in self._placeholders:
            self._placeholders.discard(file)
            theirs(file.unlink)

    def copied(self, source: Any, target: Any) -> None:
        """Copy a file that the program saved."""
        self.put(target, self.get(source))

    def folder_moved(self, source: Any, target: Any) -> None:
        """Update the placeholders' paths after the program moved a folder."""
        old, new = Path(os.path.realpath(source)), Path(os.path.realpath(target))
        self._placeholders = {
            new / f.relative_to(old) if old in f.parents else f
            for f in self._placeholders
        }

    def remove_placeholders(self) -> None:
        """Leave no trace on disk."""
        for file in self._placeholders:
            if _is_ticket(file):
                with suppress(OSError):  # the program may have closed its folder
                    file.unlink()


def _is_ticket(path: Any) -> bool:
    try:
        with open(path, "rb") as file:
            return _read(file)[0] is not None
    except (OSError, ValueError):
        return False


def _read(file: Any) -> tuple[bytes | None, int]:
    """Return the name on a ticket and the number of content bytes that follow, with the file positioned at these."""
    start, head = file.tell(), file.read(_LONGEST)
    if not isinstance(head, bytes):  # a file of text
        head = b""
    line, end, _ = head.partition(b"\n")
    if not (end and line.startswith(_HEAD + _RUN)):
        file.seek(start)
        return None, 0
    file.seek(start + len(line) + 1)
    name, size = line.split()[-2:]
    return name, int(size)
