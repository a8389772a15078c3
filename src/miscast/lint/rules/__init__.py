"""What contradicts in a run: one file per rule, found by discovery; nothing to register.

A rule is a file of this folder with `CONFLICTS` (contradictions as data), or `find(run) -> Iterator[Contradiction]`,
or both.
Its name is the file's name with dashes, its page is the module's docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from ...finding import Finding
from ...frozen import dataclass
from ...plugins import each, function, load, name_of, page_of
from ..conflict import Conflict
from ..contradiction import Contradiction
from ..run import Run

__all__ = ["Rule", "judge", "known"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: its name, its page, its contradictions, and the function that finds what breaks it."""

    name: str
    page: str
    conflicts: tuple[Conflict, ...] = ()
    own: Callable[[Run], Iterator[Contradiction]] | None = None
    strict: bool = False

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.partition("\n")[0]

    def find(self, run: Run) -> Iterator[Finding]:
        """What breaks the rule in a run."""
        declared = (
            found for conflict in self.conflicts for found in conflict.find(run)
        )
        for contradiction in (*declared, *(self.own(run) if self.own else ())):
            yield contradiction.finding(self.name)


@cache
def known() -> tuple[Rule, ...]:
    """Every rule, by name."""
    found = [
        Rule(
            name=name_of(file).replace("_", "-"),
            page=page_of(file),
            conflicts=getattr(file, "CONFLICTS", ()),
            own=getattr(file, "find", None),
        )
        for file in load(
            __name__,
            either=(each("CONFLICTS", Conflict), function("find", 1)),
        )
    ]
    return tuple(sorted(found, key=lambda rule: rule.name))


def judge(run: Run) -> tuple[Finding, ...]:
    """Every finding of every rule, by place; what is the same in several runs' eyes is for the caller to merge."""
    found = [finding for rule in known() for finding in rule.find(run)]
    return tuple(
        sorted(
            found,
            key=lambda f: (f.location.file, f.location.line, f.location.column, f.rule),
        )
    )
