"""What the run cannot vouch for: effects that did not happen, code that was not run, unchecked ops, assumed values."""

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
    "effects": "Sandboxed effects",
    "partial": "Branches explored in part",
    "not run": "Code that was not run",
    "explored": "Branches explored",
    "unchecked": "Ops without a dtype rule",
    "placeholder": "Placeholder values",
    "note": "Notes",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What belongs together, a line each; so many are `left` out."""

    title: str
    rows: tuple[str, ...]
    left: int = 0


def groups(report: Report) -> list[Group]:
    """Those that have anything."""
    rows: dict[str, list[str]] = {}
    for label, text in unvouched(replace(report, notes=tuple(folded(report.notes)))):
        rows.setdefault(label, []).append(relative(text))
    return [
        Group(
            title=title,
            rows=tuple(rows[label][:_LISTED]),
            left=max(len(rows[label]) - _LISTED, 0),
        )
        for label, title in _TITLES.items()
        if label in rows
    ]
