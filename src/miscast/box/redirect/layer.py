"""Redirect a program's file writes to a scratch folder over the disk, and collect their effects.

layer = Layer(tempfile.mkdtemp(), tell=lambda kind, what, action: line_of_the_program())
with redirected(layer):
    os.remove("last.pt")     # gone for the program, there on the disk
layer.effects()              # (Effect(kind="deleted", what="/home/me/last.pt", …),)
"""

from __future__ import annotations

import errno
import os
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ...core.event import Effect, EffectKind, Location
from . import real
from .telling import told
from .union import Union

Tell = Callable[[EffectKind, str, str], Location | None]
_FDS = "/proc/self/fd/"


class _Mine(threading.local):
    """The depth of this thread's calls past the guard: the layer's own."""

    depth = 0


class Layer:
    """The union of the disk and a scratch folder, for one box.

    `folder` exists, is empty, and is removed by its owner. `tell(kind, what, action)` is asked once for each thing that
    the program does, while the program's stack is in place; the line it returns becomes the effect's location.

    Processes that the program forks share the folder, not what is noted in memory: what a child deletes or renames
    (also in folders that only it made) stays so for the child alone. What they started with `spawn` or `forkserver`
    is not redirected.
    """

    def __init__(self, folder: str, tell: Tell | None = None) -> None:
        """Start without redirection, until the layer is `on`."""
        self.folder = os.path.realpath(folder)
        self.on = False
        self.pid = os.getpid()
        # where a command that only looks may come from
        self.programs = os.environ.get("PATH", os.defpath)
        self.mine = _Mine()
        self.lock = threading.RLock()
        root = os.path.join(self.folder, "files")
        with suppress(FileExistsError):  # ranks share a folder
            real.mkdir(root)
        self.union = Union(root)
        self.still = True  # nothing differs from the disk yet: every question goes straight to it
        self.drifted = False  # the program is in a folder that the disk does not have
        self._tell = tell
        self._told: dict[tuple[EffectKind, str, str], tuple[Location | None, int]] = {}
        # open folders by fd: device, inode, name
        self._folders: dict[int, tuple[int, int, str]] = {}
        # not to be cleaned up
        self.union.marks[os.path.dirname(self.folder)] = {
            os.path.basename(self.folder): None
        }

    @contextmanager
    def past_the_guard(self) -> Iterator[None]:
        """Let calls within the block pass the guard, as the layer's own."""
        self.mine.depth += 1
        try:
            yield
        finally:
            self.mine.depth -= 1

    def note(self, kind: EffectKind, what: str, action: str = "") -> None:
        """Record an effect, with its line the first time. Files that end unchanged are left out later."""
        location, count = self._told.get((kind, what, action), (None, 0))
        if not count and self._tell is not None:
            location = self._tell(kind, what, action)
        self._told[kind, what, action] = location, count + 1

    def effects(self) -> tuple[Effect, ...]:
        """Return how the disk would have changed, by path, then what was not started and not sent, in order."""
        return told(self.union, self._told)

    # ------------------------------------------------------------------ paths

    def text(self, path: Any, dir_fd: int | None = None) -> str:
        """Return a path as the program gave it, absolute where it counts from a folder's fd."""
        text: str = os.fsdecode(path)
        if dir_fd is None or dir_fd < 0 or os.path.isabs(text):
            return text
        return os.path.join(self.of_fd(dir_fd) or "", text)

    def name(self, path: Any, dir_fd: int | None = None, follow: bool = True) -> str:
        """Return the name of a path. Raises FileNotFoundError for an empty one, ValueError for one with a null byte."""
        text = self.text(path, dir_fd)
        if not text:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if "\0" in text:
            raise ValueError("embedded null byte")
        return self.union.outside(self.union.name(text, follow))

    def reading(self, path: Any, dir_fd: int | None = None, follow: bool = True) -> Any:
        """Return what to give to the original for `path`: itself where nothing differs, else where its bytes are.

        Raises:
            FileNotFoundError: nothing has this name any more.
        """
        text = path
        if dir_fd is not None or type(path) is not str:
            text = self.text(path, dir_fd)
        at = self.union.find(text, follow)
        if at is None:
            # the program read it off an open file
            if text.startswith(self.union.folder):
                return self.reading(self.union.outside(text), None, follow)
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if dir_fd is None and (
            at == text or (not self.drifted and at == self.union.cwd + os.sep + text)
        ):
            return path
        return at

    def of_fd(self, fd: int) -> str | None:
        """Return the name of what an fd was opened as, None where it has none (a pipe) or the platform does not say."""
        known = self._folders.get(fd)
        if known is not None:
            try:
                found = real.fstat(fd)
            except OSError:
                return None
            if known[:2] == (found.st_dev, found.st_ino):
                return known[2]
            del self._folders[fd]
        try:
            path = str(real.readlink(_FDS + str(fd)))
        except (OSError, TypeError):
            return None
        if os.path.isabs(path) and real.linked(path):
            return self.union.outside(path)
        return None

    def opened(self, fd: int, name: str) -> int:
        """Record a folder's name by its fd, through which entries are listed and removed."""
        found = real.fstat(fd)
        if stat.S_ISDIR(found.st_mode):
            self._folders[fd] = found.st_dev, found.st_ino, name
        return fd
