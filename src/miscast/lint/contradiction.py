"""A contradiction that a rule finds in a run: the settings, and the result at run time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..core.finding import Edit, Finding, Fix, Related, Severity
from ..core.frozen import dataclass
from .setting import Place
from .system import Setting

if TYPE_CHECKING:
    from .run import Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """`settings` contradict; the finding is at the first that is given, None is one that is not given.

    `effect` is the error at run time, or what happens silently. `help` is what to set instead, and `edit` does it; a
    fix with an edit is `safe`. `otherwise` is the place if no setting is given.
    """

    says: str
    settings: tuple[Setting | None, ...]
    effect: str
    help: str
    edit: Edit | None = None
    safe: bool = False
    severity: Severity = "error"
    otherwise: Place | None = None

    def finding(self, rule: str) -> Finding:
        """Return the finding of a rule, at the first setting, with the places of the others."""
        given = [setting for setting in self.settings if setting]
        at = (
            given[0].entry.at
            if given
            else self.otherwise or Place(file="", line=0, column=0)
        )
        related = {
            s.entry.at: Related(label="and", location=s.entry.at.location)
            for s in given[1:]
        }
        related.pop(at, None)
        edits = (self.edit,) if self.edit else ()
        return Finding(
            rule=rule,
            severity=self.severity,
            message=self.says,
            op=given[0].name if given else "",
            phase="program",
            location=at.location,
            related=tuple(related.values()),
            fixes=(
                Fix(
                    title=self.help,
                    safe=self.safe or self.edit is not None,
                    edits=edits,
                ),
            ),
            error=self.effect,
            raises="",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """An entry of `CONFLICTS`. A system's file fills in `system`, a rule's file `rule`."""

    rule: str = ""
    system: str = ""

    def find(self, run: Run) -> Iterator[Contradiction]:
        """Yield the contradictions that a run has."""
        raise NotImplementedError

    def findings(self, run: Run) -> Iterator[Finding]:
        """Yield the contradictions as findings of the rule."""
        for contradiction in self.find(run):
            yield contradiction.finding(self.rule)


def replaced(setting: Setting | None, text: str) -> Edit | None:
    """Return the edit that replaces a setting's value by `text`, and keeps the rest of the line."""
    if setting is None or setting.entry.at.end <= setting.entry.at.column:
        return None
    at = setting.entry.at
    line = at.code[: at.column - 1] + text + at.code[at.end - 1 :]
    return Edit(file=at.file, start_line=at.line, end_line=at.line, replacement=line)
