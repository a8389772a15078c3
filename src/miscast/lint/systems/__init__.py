"""Systems that read a configuration: one file or folder each, found by discovery, with `SYSTEM`.

`CONFLICTS` in the file, or in `conflicts.py` of the folder, are the contradictions of the system's settings. A system
is imported when it may claim a document.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

from ...core.frozen import replace
from ...core.plugins import each, load, value
from .. import claim, index
from ..claim import Claim
from ..contradiction import Declared
from ..setting import Document
from ..system import System

__all__ = ["conflicts", "entries", "known", "recognised", "system"]


@cache
def system(name: str) -> System:
    """Return the system of a name."""
    return _loaded(_modules()[name])[0]


def known() -> tuple[System, ...]:
    """Return every system, by name."""
    return tuple(sorted(_loaded(), key=lambda one: one.name))


@cache
def conflicts(name: str) -> tuple[Declared, ...]:
    """Return the contradictions that a system's file declares."""
    module = importlib.import_module(f"{__name__}.{_modules()[name]}")
    if hasattr(module, "__path__"):
        promised = each("CONFLICTS", Declared)
        (module,) = load(module.__name__, needs=(promised,), only=("conflicts",))
    given = getattr(module, "CONFLICTS", ())
    return tuple(replace(one, system=name) for one in given)


def recognised(document: Document) -> tuple[System, ...]:
    """Return the system with the best claim on a document; an environment may serve several."""
    written = frozenset(entry.path for entry in document.entries)
    fitting = [system(name) for name in _candidates(document, written) if _claims()[name].fits(document, written)]
    if document.origin == "environment" or len(fitting) < 2:
        return tuple(fitting)
    return (max(fitting, key=lambda one: one.claims(document, written)),)


def _candidates(document: Document, written: frozenset[str]) -> Iterable[str]:
    """Return the systems that may have a claim; asking all of them takes as long as reading a file."""
    if document.origin == "environment":
        return _claims()
    named = () if document.origin == "file" else _called(document.name)
    if document.origin == "call":
        return named
    leads = {path.partition(".")[0] for path in written}
    return (name for name, one in _claims().items() if name in named or not one.leads.isdisjoint(leads))


@lru_cache(maxsize=4096)
def _called(program: str) -> tuple[str, ...]:
    """Return the systems that have a program or a callee of a name, in their order."""
    return tuple(name for name, one in _claims().items() if one.has_program(program))


@cache
def _claims() -> Mapping[str, Claim]:
    """Return every system's claim, by name: from the index, else from the system itself."""
    return {one.name: one for one, _ in _claimed()}


@cache
def _modules() -> Mapping[str, str]:
    """Return the module of each system, by name."""
    return {one.name: module for one, module in _claimed()}


@cache
def _claimed() -> tuple[tuple[Claim, str], ...]:
    indexed, others = index.split(__name__)
    found: list[tuple[Claim, str]] = [(claim.read(entry), module) for module, entry in indexed.items()]
    found += [(_loaded(module)[0], module) for module in others]
    return tuple(sorted(found, key=lambda one: one[0].name))


def _loaded(*modules: str) -> tuple[System, ...]:
    """Import the systems of some modules; without any, all, and look for misspelled names."""
    found = load(
        __name__, needs=(value("SYSTEM", System),), may=() if modules else (each("CONFLICTS", Declared),),
        only=modules or None,
    )
    return tuple(file.SYSTEM for file in found)


def entries() -> dict[str, dict[str, Any]]:
    """Return what the index holds of each system, by module."""
    return {_modules()[one.name]: claim.entry(one) for one in known()}
