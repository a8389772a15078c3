"""Files as tools beside a repository know them: relative to its root, with forward slashes.

    >>> Repository.here().relative("/home/me/project/src/train.py")
    'src/train.py'

The root is the nearest folder above the current one that has `.git`, or the current one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from urllib.parse import quote

from ..core.frozen import dataclass
from .wording import printable


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A repository at `folder`, an absolute path."""

    folder: str

    @classmethod
    def here(cls) -> Repository:
        """Return the one that the current folder is in."""
        return cls(folder=nearest(".git", os.path.exists) or os.getcwd())

    def relative(self, file: str) -> str:
        """Return a file's path from the root; absolute if it is elsewhere."""
        whole = os.path.abspath(file)
        inside = os.path.join(self.folder, "")
        named = whole.removeprefix(inside)
        return named.replace(os.sep, "/")

    def shown(self, file: str) -> str:
        """Return the same without control characters, and in Unicode: for what others show or keep."""
        return printable(self.relative(file))

    def contains(self, file: str) -> bool:
        """Check whether a file lies below the root."""
        return not os.path.isabs(self.relative(file))

    def uri(self, file: str) -> str:
        """Return a reference to a file: relative to the root, or of its own."""
        name = self.relative(file)
        escaped = quote(_encoded(name), safe="/~+,=@!$&'()*;")
        return f"file://{escaped}" if os.path.isabs(name) else escaped

    @property
    def root(self) -> str:
        """The root's own URI, which ends in a slash."""
        escaped = quote(_encoded(self.folder.replace(os.sep, "/").rstrip("/")))
        return f"file://{escaped}/"


def nearest(name: str, is_there: Callable[[str], bool]) -> str | None:
    """Return the nearest folder, from the current one upwards, in which there is something of a name."""
    at = os.getcwd()
    while not is_there(os.path.join(at, name)):
        above = os.path.dirname(at)
        if above == at:
            return None
        at = above
    return at


def _encoded(name: str) -> bytes:
    """Return a name's own bytes, also of one that is no Unicode; of one that no file can have, something like it."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "replace")
