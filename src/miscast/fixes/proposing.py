"""What might mend a finding: every change that a way proposes at one of its places, the likeliest first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ..finding import Finding
from .change import Change
from .edit_site import Spot, spots
from .source import Source, UnreadableError
from .strategies import known
from .trials import Scopes

_HEAD, _NEAR = 2, 40


class Sources:
    """The user's files as they are at this point of the search.

    The places of findings are lines of the user's own, never of a library: no other file is asked for.
    """

    def __init__(self, changed: Mapping[str, bytes]) -> None:
        """`changed` files have these bytes, the others those on disk."""
        self._changed = changed
        self._read: dict[str, Source | None] = {}

    def find(self, path: str) -> Source | None:
        """A file; None for what cannot be read, as the cell of a notebook."""
        if path not in self._read:
            self._read[path] = self._open(path)
        return self._read[path]

    def _open(self, path: str) -> Source | None:
        if path in self._changed:
            return Source(path, self._changed[path])
        try:
            return Source.read(path)
        except UnreadableError:
            return None


def proposed(finding: Finding, scopes: Scopes, sources: Sources) -> list[Change]:
    """Every change that might mend a finding, the likeliest first."""
    found: list[Change] = []
    places = list(spots(finding, scopes))
    for spot in places:
        for way, everywhere in known():
            if everywhere and spot.role in ("use", "caller"):
                for path in dict.fromkeys(place.location.file for place in places):
                    found += _of(way, sources.find(path), spot)
            else:
                found += _of(way, sources.find(spot.location.file), spot)
    found.sort(key=lambda change: (change.harm, change.order - change.ahead))
    harmed = next((change for change in found[_HEAD:] if change.harm == 1 and change.order < _NEAR), None)
    if harmed is not None:  # what the other changes do not mend is seen before all of them are tried
        found.remove(harmed)
        found.insert(_HEAD, harmed)
    return found


def _of(way: Callable[[Source, Spot], Iterator[Change]], source: Source | None, spot: Spot) -> Iterator[Change]:
    return way(source, spot) if source is not None else iter(())
