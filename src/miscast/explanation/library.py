"""Find the library in which an error occurred, and what to change there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ..core.frozen import dataclass, field
from ..core.plugins import each, load
from .frame import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """A library or program that people run, and its precision settings."""

    name: str
    packages: tuple[str, ...] = ()
    """Its names in site-packages."""
    paths: tuple[str, ...] = ()
    """Words of its files' paths, in lower case, where it is run from a checkout."""
    help: Mapping[str, str] = field(default_factory=dict)
    """A cause's name, or a category, to what to change."""

    def advice(self, cause: str, category: str) -> str | None:
        """Return what to change in this library, for a cause or at least for the category."""
        return self.help.get(cause) or self.help.get(category)

    def runs(self, paths: str, packages: set[str]) -> bool:
        """Check whether one of these files or packages is its own."""
        return not packages.isdisjoint(self.packages) or any(
            word in paths for word in self.paths
        )

    def named_in(self, text: str) -> bool:
        """Check whether a text speaks of it."""
        return any(word in text for word in (*self.paths, *self.packages))


@cache
def libraries() -> tuple[Library, ...]:
    """Return every library, those that users start first, by discovery."""
    from . import libraries as folder

    files = load(folder.__name__, needs=(each("LIBRARIES", Library),))
    return tuple(found for file in files for found in file.LIBRARIES)


def concerned(frames: tuple[Frame, ...], text: str) -> tuple[Library, ...]:
    """Return the libraries that a traceback goes through or, without one, that are named next to the message."""
    packages = {frame.library for frame in frames}
    paths = " ".join(frame.path.lower() for frame in frames)
    found = tuple(library for library in libraries() if library.runs(paths, packages))
    if found or frames:
        return found
    low = text.lower()
    return tuple(library for library in libraries() if library.named_in(low))
