"""Notes of a run, those that say the same of many things as one.

/data/a.pt: only dtypes and shapes were read, not the data  ->  only dtypes and shapes were read, not the data:
… thirteen more                                                 14 files in data
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .outside import files
from .wording import plural

_APART = 3  # notes of one kind, told one by one
_UNREAD = "only dtypes and shapes were read, not the data"


def folded(notes: Sequence[str]) -> Iterator[str]:
    """Yield the notes, in their order; more than three that differ only in what they are about are one."""
    for said, things in _kinds(notes).items():
        if said == _UNREAD and len(things) > 1:
            yield f"{_UNREAD}: {files(things)}"
        elif len(things) > _APART:
            yield f"{said} ({plural(len(things), 'time')}, first at {things[0]})"
        else:
            yield from (f"{one}: {said}" if one else said for one in things)


def _kinds(notes: Sequence[str]) -> dict[str, list[str]]:
    """Return what the notes say, each with all that it is said of in one word; empty where a note has no such word."""
    kinds: dict[str, list[str]] = {}
    for note in notes:
        about, colon, said = note.partition(": ")
        one_word = colon and " " not in about
        kinds.setdefault(said if one_word else note, []).append(
            about if one_word else ""
        )
    return kinds
