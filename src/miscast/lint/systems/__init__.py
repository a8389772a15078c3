"""What reads a configuration: one file per system, found by discovery; a file of this folder that has `SYSTEM`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from ...plugins import load, value
from ..setting import Document
from ..system import System

__all__ = ["by_name", "known", "recognised"]


@cache
def known() -> tuple[System, ...]:
    """Every system, by name."""
    files = load(__name__, needs=(value("SYSTEM", System),))
    return tuple(sorted((file.SYSTEM for file in files), key=lambda system: system.name))


@cache
def by_name() -> Mapping[str, System]:
    """Every system, under its name."""
    return {system.name: system for system in known()}


def recognised(document: Document) -> tuple[System, ...]:
    """Whose document this is: the system with the best claim; an environment may serve several."""
    written = frozenset(entry.path for entry in document.entries)
    claims = [
        (claim, system)
        for system in _candidates(document, written)
        if (claim := system.claims(document, written))
    ]
    if document.origin == "environment":
        return tuple(system for _, system in claims)
    return (max(claims, key=lambda claim: claim[0])[1],) if claims else ()


def _candidates(document: Document, written: frozenset[str]) -> Iterable[System]:
    """The systems that may have a claim, told by little: to ask each of all of them takes as long as to read a file."""
    if document.origin == "environment":
        return known()
    named = () if document.origin == "file" else _called(document.name)
    if document.origin == "call":
        return map(by_name().__getitem__, named)
    leads = {path.partition(".")[0] for path in written}
    return (s for s in known() if s.name in named or not s.leads.isdisjoint(leads))


@lru_cache(maxsize=4096)
def _called(name: str) -> tuple[str, ...]:
    """The names of the systems that have a program or a callee of a name, in their order."""
    return tuple(system.name for system in known() if system.has_program(name))
