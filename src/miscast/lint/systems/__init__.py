"""What reads a configuration: one file per system, found by discovery; a file of this folder that has `SYSTEM`."""

from __future__ import annotations

from functools import cache

from ...plugins import load, value
from ..setting import Document
from ..system import System

__all__ = ["known", "recognised"]


@cache
def known() -> tuple[System, ...]:
    """Every system, by name."""
    files = load(__name__, needs=(value("SYSTEM", System),))
    return tuple(sorted((file.SYSTEM for file in files), key=lambda system: system.name))


def recognised(document: Document) -> tuple[System, ...]:
    """Whose document this is: the system with the best claim; an environment may serve several."""
    written = frozenset(entry.path for entry in document.entries)
    claims = [(system.claims(document, written), system) for system in known()]
    claims = [(claim, system) for claim, system in claims if claim]
    if document.origin == "environment":
        return tuple(system for _, system in claims)
    return (max(claims, key=lambda claim: claim[0])[1],) if claims else ()
