"""The meetings of a world in short, in their order: the first of them, and those that do not fit.

Meetings alike that follow each other are one; what comes after is only counted, by `Rendezvous.matched`.
"""

from __future__ import annotations

from dataclasses import replace

from ...core.meeting import CollectiveRound, Met

_MOST, _MISFITS = 120, 60


class MetInShort:
    """Takes each meeting as it ends."""

    def __init__(self) -> None:
        self._met: list[Met] = []
        self._misfits = 0

    def add(self, meeting: CollectiveRound, *, fits: bool) -> None:
        """Add the next meeting."""
        full = (
            len(self._met) - self._misfits >= _MOST
            if fits
            else self._misfits >= _MISFITS
        )
        if full:
            return
        one = _in_short(meeting, fits=fits)
        last = self._met[-1] if self._met else None
        if last is not None and replace(last, count=1) == one:
            self._met[-1] = replace(last, count=last.count + 1)
            return
        self._misfits += not fits
        self._met.append(one)

    def told(self) -> tuple[Met, ...]:
        """Return all that were kept."""
        return tuple(self._met)


def _in_short(meeting: CollectiveRound, *, fits: bool) -> Met:
    first = meeting.present[0]
    # who never came to this meeting may wait in another
    instead = meeting.instead or (None,) * len(meeting.ranks)
    came = [one or other for one, other in zip(meeting.brought, instead, strict=True)]
    dtypes = dict.fromkeys(
        one.tensor.dtype for one in meeting.present if one.tensor is not None
    )
    return Met(
        op=first.op,
        ranks=meeting.ranks,
        at=tuple(one.location if one else None for one in came),
        said=tuple(one.op if one else "" for one in came),
        dtype=", ".join(dtypes),
        fits=fits,
    )
