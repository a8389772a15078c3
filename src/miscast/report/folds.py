"""Findings as most formats tell them: each cause once, with its whole text, and with what follows from it folded under.

>>> [(fold.finding.rule, len(fold.followers)) for fold in folds(report)]
[('operand-dtype-mismatch', 3)]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..core.finding import Finding
from .causes import causes
from .fingerprint import fingerprints
from .paragraphs import paragraphs
from .repository import Repository

if TYPE_CHECKING:
    from .report import Report
    from .suppressions import Suppressed

_WIDTH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """A finding that follows from no other, what it is known by, what follows from it, and its text.

    `suppressed` says why it is not told as a finding.
    """

    finding: Finding
    fingerprint: str
    followers: tuple[Finding, ...]
    text: str
    suppressed: Suppressed | None = None


def folds(report: Report, repository: Repository) -> tuple[Fold, ...]:
    """Return the causes, in the report's order."""
    found = report.findings
    told = paragraphs(found, _WIDTH, verbose=True)
    digests = fingerprints(found, repository)
    return tuple(
        Fold(
            finding=finding,
            fingerprint=digests[index],
            followers=tuple(followers),
            text="\n".join(line.plain.rstrip() for line in next(told)),
        )
        for index, finding, followers in causes(found)
    )


def unvouched(report: Report) -> tuple[str, ...]:
    """Return what kept a run from its end, a line each."""
    ended = [f"ended: {report.ended}"] if report.ended else []
    return (*ended, *([f"failed: {report.failed}"] if report.failed else []))
