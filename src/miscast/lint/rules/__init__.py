"""Rules: contradictions that cross systems, one file per rule; those of one system stand in the system's file.

A file has `CONFLICTS` or `find(run) -> Iterator[Contradiction]`, or both; its name is the rule's, with underscores. The
files in `hardware` are about the machine, and are only imported if there is one. A rule's page is
`lint/pages/<name>.md`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING

from ...core.finding import Finding
from ...core.frozen import dataclass, replace
from ...core.plugins import each, function, load, name_of
from .. import systems
from ..conflict import Conflict
from ..contradiction import Declared

if TYPE_CHECKING:
    from ..contradiction import Contradiction
    from ..run import Run

__all__ = ["Rule", "judge", "known"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: its name, and its page in Markdown."""

    name: str
    page: str

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.partition("\n")[0]

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The contradictions of the rule that are data, of every system."""
        return tuple(one for one in _declared() if one.rule == self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    """A file of rules: its contradictions, and its function."""

    rule: str
    conflicts: tuple[Conflict, ...] = ()
    search: Callable[[Run], Iterator[Contradiction]] | None = None

    def findings(self, run: Run) -> Iterator[Finding]:
        """Yield the findings of the rule in a run."""
        for conflict in self.conflicts:
            yield from conflict.findings(run)
        for contradiction in self.search(run) if self.search else ():
            yield contradiction.finding(self.rule)


@cache
def known() -> tuple[Rule, ...]:
    """Return every rule that has a page, by name."""
    from ...report.rule_page import of_settings, page

    _load(hardware=True)
    return tuple(
        Rule(name=name, page=page(name).text) for name in sorted(of_settings())
    )


def judge(run: Run) -> Iterator[Finding]:
    """Yield the findings of a run; only the files of the run's systems are imported."""
    names = dict.fromkeys(name for view in run.views for name in view.system.family)
    for name in names:
        for one in systems.conflicts(name):
            yield from one.findings(run)
    for file in _files(hardware=run.machine is not None):
        yield from file.findings(run)


@cache
def _files(*, hardware: bool) -> tuple[_File, ...]:
    return _load(hardware=hardware)


def _load(*, hardware: bool) -> tuple[_File, ...]:
    promised = (each("CONFLICTS", Conflict), function("find", 1))
    found = load(__name__, either=promised, helpers=("hardware",))
    if hardware:
        importlib.import_module(f"{__name__}.hardware")
        found += load(f"{__name__}.hardware", either=promised)
    return tuple(map(_file, found))


def _file(module: ModuleType) -> _File:
    rule = name_of(module).replace("_", "-")
    return _File(
        rule=rule,
        conflicts=tuple(
            replace(conflict, rule=rule)
            for conflict in getattr(module, "CONFLICTS", ())
        ),
        search=getattr(module, "find", None),
    )


@cache
def _declared() -> tuple[Conflict, ...]:
    """Return every contradiction that is data, by system."""
    own: Iterator[Declared] = (
        one for system in systems.known() for one in systems.conflicts(system.name)
    )
    crossing = (one for file in _files(hardware=True) for one in file.conflicts)
    return tuple(one for one in (*own, *crossing) if isinstance(one, Conflict))
