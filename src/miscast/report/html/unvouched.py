"""List what was not checked: side effects, code not executed, ops without a rule, placeholders, notes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..notes import folded
from ..paragraphs import unvouched
from ..wording import relative

if TYPE_CHECKING:
    from ..report import Report

_LISTED = 400
_TITLES = {
    "effects": "Side effects kept in the sandbox", "partial": "Branches explored in part",
    "not run": "Branches not executed", "explored": "Branches explored", "unchecked": "Ops without a dtype rule",
    "placeholder": "Placeholder values", "note": "Notes",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The lines of one kind; `left` of them are not shown."""

    title: str
    rows: tuple[str, ...]
    left: int = 0


def groups(report: Report) -> list[Group]:
    """Return the groups that have lines."""
    rows: dict[str, list[str]] = {}
    for label, text in unvouched(replace(report, notes=tuple(folded(report.notes)))):
        rows.setdefault(label, []).append(relative(text))
    return [
        Group(
            title=_TITLES.get(label, label.capitalize()),
            rows=tuple(rows[label][:_LISTED]),
            left=max(len(rows[label]) - _LISTED, 0),
        )
        for label in sorted(rows, key=_rank)
    ]


def _rank(label: str) -> int:
    """Return the position of a group; a label without a title comes last."""
    return [*_TITLES, label].index(label)
