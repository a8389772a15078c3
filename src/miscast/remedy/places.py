"""How advice names a line, and the call that made a tensor there."""

from __future__ import annotations

from ..event import Event, Location


def place(location: Location | None) -> str:
    """The words for a place: "data.py:12"."""
    return (
        f"{location.file.rpartition('/')[2]}:{location.line}"
        if location
        else "an unknown line"
    )


def factory(event: Event) -> str:
    """The name of the call that made a tensor, without its owner: "ones"."""
    return event.op.rpartition(".")[2]
