"""One tree of files made of two: the disk, which is only read, and a folder that holds what differs from it.

    union = Union("/scratch/files")
    union.source("/data/config.json")    # "/data/config.json", or "/scratch/files/data/config.json" once it was changed

A *name* is an absolute path without links, `.` and `..`, as the program sees the tree. What lies below a name on the
disk is said by `marks`: nothing if it was deleted, another path if it was renamed (nothing is copied then), else the
same path. What the program made or changed lies in the folder, and wins.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable
from typing import NamedTuple

from . import real

_lstat = real.lstat
_DOTS = frozenset({"", ".", ".."})
_KIND, _LINK = 0o170000, stat.S_IFLNK
_MAGIC = re.compile(
    r"(?P<link>/proc/(?:self|thread-self|\d+)/(?:task/\d+/)?(?:cwd|root|fd/\d+))(?P<rest>/.*)?$"
)
_LINKS = 40  # as Linux: MAXSYMLINKS
# names there mean something else in each process: nothing is resolved, nothing remembered
_PLAIN = ("/proc/", "/sys/")


class Place(NamedTuple):
    """A folder: its name, what lies below it on the disk, and where the layer's part of it is (None: there is none).

    Paths are without a separator at their end, so that one and a name can follow; the root is empty.
    """

    name: str
    lower: str | None
    upper: str | None
    marks: dict[str, str | None] | None


class _Places(dict[str, Place]):
    """The folders behind paths: each is resolved when it is first asked for, and remembered until something moves."""

    def __init__(self, settle: Callable[[str], Place]) -> None:
        self._settle = settle

    def __missing__(self, head: str) -> Place:
        place = self[head] = self._settle(head)
        return place


class Union:
    """Names, and where their bytes are. Changes nothing but its own notes."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.marks: dict[str, dict[str, str | None]] = {}
        # a changed file with several names on disk: where it is now
        self.twins: dict[tuple[int, int], str] = {}
        self.cwd = real.getcwd()
        self.shared = False  # other processes write to the folder, too
        self._places = _Places(self._settle)

    def forget(self) -> None:
        """Forget resolved paths, after a folder, a link or a mark has changed."""
        # a new one: another thread may be about to remember what was
        self._places = _Places(self._settle)

    def upper(self, name: str) -> str:
        """Return where the layer keeps what it has of this name."""
        drive, rest = os.path.splitdrive(name)
        return (
            self.folder
            + (os.sep + drive.strip(":\\/").replace("\\", "_") if drive else "")
            + rest
        )

    def outside(self, path: str) -> str:
        """Return the name under which the program knows a file of the layer's folder, or of the disk."""
        if path.startswith(self.folder + os.sep):
            return path[len(self.folder) :]
        return path

    def lower(self, name: str) -> str | None:
        """Return the disk path of the name's content before the layer's own, or None."""
        if not self.marks:
            return name
        head, rest = name, ""
        while True:
            above, tail = os.path.split(head)
            if above == head:
                return name
            marks = self.marks.get(above)
            if marks is not None and tail in marks:
                at = marks[tail]
                return None if at is None else at + rest
            head, rest = above, os.sep + tail + rest

    def mark(self, name: str, at: str | None) -> None:
        """Set `at` as the disk path of the name's content."""
        head, tail = os.path.split(name)
        self.marks.setdefault(head, {})[tail] = at
        self.forget()

    def source(self, name: str) -> str | None:
        """Return the path of the name's bytes, or None if nothing has this name."""
        at = self.perhaps(name)
        return at if at is not None and real.linked(at) else None

    def perhaps(self, name: str) -> str | None:
        """Return the same as `source`, but do not check whether the disk has the file: opening it will show that."""
        head, tail = os.path.split(name)
        if head == name:
            return name
        at = self._peek(self._places[head], tail)
        return at if at is None or not self.twins else self._twin(at)

    def _twin(self, at: str) -> str:
        if not real.linked(at):
            return at
        found = real.lstat(at)
        if found.st_nlink > 1:
            return self.twins.get((found.st_dev, found.st_ino), at)
        return at

    def name(self, path: str, follow: bool = True) -> str:
        """Return the name of what a path leads to; with `follow=False` a link at its end is not followed.

        Raises:
            OSError: with ELOOP, where links go round in a circle.
        """
        path = self._absolute(path)
        if path.startswith(_PLAIN):
            return self._process(path, follow)
        if os.altsep:
            path = path.replace(os.altsep, os.sep)
        head, _, tail = path.rpartition(os.sep)
        if tail in _DOTS:
            return self._walk(path)
        place = self._places[head]
        name = place.name + os.sep + tail
        if follow:
            at = self._peek(place, tail)
            if at is not None and _is_link(at):
                return self._walk(name)
        return name

    def _absolute(self, path: str) -> str:
        if path[:1] == os.sep or os.path.isabs(path):
            return path
        return f"{self.cwd}{os.sep}{path}"

    def _process(self, path: str, follow: bool) -> str:
        """Return a path of /proc, by the file that it leads to if it leads to one: an open file, a folder, the root."""
        found = _MAGIC.match(path)
        if found is None or not (found["rest"] or follow):
            return os.path.normpath(path)
        try:
            target = self.outside(real.readlink(found["link"]))
        except OSError:
            return os.path.normpath(path)
        # a pipe, a socket, a file without a name
        if not os.path.isabs(target) or target.endswith(" (deleted)"):
            return path
        return self.name(target + (found["rest"] or ""), follow)

    def find(self, path: str, follow: bool = True) -> str | None:
        """Return `perhaps` of the path's name in one step; its time is the cost of each query of the program."""
        path = self._absolute(path)
        head, _, tail = path.rpartition(os.sep)
        if os.altsep or tail in _DOTS or path.startswith(_PLAIN):
            return self.perhaps(self.name(path, follow))
        place = self._places[head]
        at = self._peek(place, tail)
        if at is None:
            return None
        try:
            found = _lstat(at)
        except (OSError, ValueError):
            return at
        if follow and found.st_mode & _KIND == _LINK:
            return self.perhaps(self._walk(place.name + os.sep + tail))
        return self._twin(at) if self.twins else at

    @staticmethod
    def _peek(place: Place, tail: str) -> str | None:
        """Return where a name of a folder may be, without checking that anything is there."""
        if place.upper is not None and real.linked(
            upper := place.upper + os.sep + tail
        ):
            return upper
        if place.marks is not None and tail in place.marks:
            return place.marks[tail]
        return None if place.lower is None else place.lower + os.sep + tail

    def _settle(self, head: str) -> Place:
        """Return the folder that a path leads to."""
        name = self._walk(head or os.sep)
        upper = self.upper(name)
        lower = self.lower(name)
        return Place(
            name.rstrip(os.sep),
            None if lower is None else lower.rstrip(os.sep),
            upper.rstrip(os.sep) if self.shared or real.linked(upper) else None,
            self.marks.get(name),
        )

    def _walk(self, path: str) -> str:
        """Resolve a path part by part, through all links, as the kernel does; missing parts keep their spelling."""
        drive, rest = os.path.splitdrive(path)
        top = drive + os.sep
        at, left, links = top, rest.split(os.sep)[::-1], 0
        while left:
            part = left.pop()
            if part in {"", "."}:
                continue
            if part == "..":
                at = os.path.dirname(at)
                continue
            name = os.path.join(at, part)
            source = self._known(at, part)
            if source is None or not _is_link(source):
                at = name
                continue
            links += 1
            if links > _LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            target = real.readlink(source)
            if os.path.isabs(target):
                at = top
            left.extend(target.split(os.sep)[::-1])
        return at

    def _known(self, head: str, tail: str) -> str | None:
        """Return the same as `source` for a name in a resolved folder, without resolving the folder again."""
        name = os.path.join(head, tail)
        upper = self.upper(name)
        if real.linked(upper):
            return upper
        return self.lower(name)


def _is_link(path: str) -> bool:
    try:
        return stat.S_ISLNK(real.lstat(path).st_mode)
    except (OSError, ValueError):
        return False
