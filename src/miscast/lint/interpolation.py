"""Resolve OmegaConf's `${trainer.precision}` to the value of that key of the document; others stay unknown."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.frozen import replace
from .setting import Entry, Unknown


def interpolated(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return the entries of one document, with references resolved."""
    given = tuple(entries)
    values = {entry.path: entry.value for entry in given}
    return tuple(
        replace(entry, value=values.get(entry.value.text[2:-1], entry.value))
        if isinstance(entry.value, Unknown)
        else entry
        for entry in given
    )
