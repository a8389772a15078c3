"""Which documents work together, and what each system sees in them.

Files that are named together, or lie in one folder, make one run, as long as that leaves no doubt: two files for the
same purpose (three DeepSpeed JSONs, ten recipes) are alternatives, and then only what one names of another joins them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..machines import Machine
from .setting import Document
from .system import System
from .systems import known, recognised
from .table import Component
from .view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A document, and the system that it belongs to."""

    system: System
    document: Document


@dataclass(frozen=True, kw_only=True)
class Run:
    """Documents that work together, on a machine (None: not said)."""

    readings: tuple[Reading, ...]
    machine: Machine | None = None

    @cached_property
    def _views(self) -> dict[str, View]:
        found: dict[str, list[Document]] = {}
        for reading in self.readings:
            found.setdefault(reading.system.name, []).append(reading.document)
        return {system.name: View(system, tuple(found.get(system.name, ()))) for system in known()}

    def view(self, name: str) -> View:
        """What a system sees; false if the run has none of it."""
        return self._views[name]

    @property
    def views(self) -> tuple[View, ...]:
        """The views of the systems that are there."""
        return tuple(view for view in self._views.values() if view)

    @cached_property
    def trainers(self) -> tuple[View, ...]:
        """The views of what trains."""
        return tuple(view for view in self.views if view.system.role == "trainer")

    @cached_property
    def table(self) -> tuple[Component, ...]:
        """The effective precision of each component."""
        found: list[Component] = []
        for role in ("trainer", "library", "engine", "launcher"):
            for view in self.views:
                if view.system.role == role and view.system.effective and not found:
                    found += view.system.effective(view, self)
        return tuple(found)

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the run, in order."""
        return tuple(dict.fromkeys(reading.document.file for reading in self.readings))


_Bundle = tuple[Reading, ...]


def runs(scopes: Iterable[Sequence[Document]], shared: Sequence[Document], machine: Machine | None) -> Iterator[Run]:
    """The runs of some folders (`scopes`); what was named file by file (`shared`) belongs to each of them."""
    common = _bundles(shared)
    folders = [_bundles(scope) for scope in scopes]
    for bundles in [b for b in folders if b] or [[]]:
        for run in _together([*bundles, *common], named=len(common)):
            yield Run(readings=run, machine=machine)


def _bundles(documents: Sequence[Document]) -> list[_Bundle]:
    """Readings that stand or fall together: a launcher and its script, all calls of one program."""
    found: dict[tuple[object, ...], list[Reading]] = {}
    for index, document in enumerate(documents):
        if document.origin == "command":
            name: tuple[object, ...] = (document.file, document.group)
        elif document.origin == "call":
            trains = any(system.role == "trainer" for system in recognised(document))
            name = (document.file, "calls", document.group if trains else 0)
        else:
            name = (index,)
        for part in (document, *_inner(document)):
            for system in recognised(part):
                own = system.translate(part) if system.translate else part
                found.setdefault(name, []).append(Reading(system=system, document=own))
    return [tuple(bundle) for bundle in _trainings(found).values()]


def _trainings(found: dict[tuple[object, ...], list[Reading]]) -> dict[tuple[object, ...], list[Reading]]:
    """Each training that a program starts, with all else that it calls: two trainers in one file are alternatives."""
    for name in [name for name in found if name[1:2] == ("calls",) and name[2]]:
        found[name] += found.get((*name[:2], 0), [])
    alone = {name for name in found if name[1:2] == ("calls",) and not name[2]}
    joined = {(*name[:2], 0) for name in found if name[1:2] == ("calls",) and name[2]}
    return {name: readings for name, readings in found.items() if name not in alone & joined}


_INLINE = ("deepspeed", "config", "config_params", "hf_ds_config")


def _inner(document: Document) -> Iterator[Document]:
    """An engine's configuration that stands inside another: `TrainingArguments(deepspeed={"bf16": …})`."""
    for prefix in _INLINE:
        inside = tuple(replace(e, key=e.key[1:]) for e in document.entries if len(e.key) > 2 and e.key[0] == prefix)
        if inside:
            yield replace(document, origin="file", entries=inside, name="")


def _together(bundles: list[_Bundle], named: int) -> Iterator[_Bundle]:
    if not bundles:
        return
    everything = _unique(reading for bundle in bundles for reading in bundle)
    if not _doubtful(bundles):
        yield everything
        return
    ambient = [b for b in bundles if all(r.document.origin == "environment" for r in b)]
    rest = [b for b in bundles if b not in ambient]
    links = {i: [j for j, b in enumerate(rest) if j != i and _names(a, b)] for i, a in enumerate(rest)}
    referenced = {j for targets in links.values() for j in targets}
    kept = bundles[len(bundles) - named :] if named else []
    for index in range(len(rest)):
        if index in referenced:
            continue
        closure = _closure(index, links)
        parts = [rest[i] for i in closure]
        for extra in [*kept, *ambient]:
            if extra not in parts and not _doubtful([*parts, extra]):
                parts.append(extra)
        yield _unique(reading for part in parts for reading in part)


def _doubtful(bundles: Sequence[_Bundle]) -> bool:
    """Whether some bundles hold alternatives: two for the same purpose, or two trainers."""
    purposes: set[tuple[str, str]] = set()
    trainers: set[str] = set()
    for bundle in bundles:
        own = {(r.system.name, r.document.origin) for r in bundle if r.document.origin != "environment"}
        if own & purposes:
            return True
        purposes |= own
        trainers |= {r.system.name for r in bundle if r.system.role == "trainer"}
    return len(trainers) > 1


def _names(bundle: _Bundle, other: _Bundle) -> bool:
    """Whether a bundle names the file of another."""
    file = os.path.normpath(other[0].document.file)
    for reading in bundle:
        texts = [reading.document.name, *(entry.value for entry in reading.document.entries)]
        for text in texts:
            if isinstance(text, str) and os.path.basename(text) == os.path.basename(file) and text != file:
                tail = os.path.normpath(text).lstrip("./")
                if file == tail or file.endswith(os.sep + tail) or os.path.basename(file) == tail:
                    return True
            elif text == file:
                return True
    return False


def _closure(start: int, links: dict[int, list[int]]) -> list[int]:
    found, todo = [start], [start]
    while todo:
        for target in links[todo.pop()]:
            if target not in found:
                found.append(target)
                todo.append(target)
    return found


def _unique(readings: Iterable[Reading]) -> _Bundle:
    seen: dict[tuple[str, int], Reading] = {}
    for reading in readings:
        seen.setdefault((reading.system.name, id(reading.document)), reading)
    return tuple(seen.values())
