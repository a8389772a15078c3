"""The report as GitLab's Code Quality JSON, which a merge request shows as what is new and what is gone.

    [{"description": "linear mixes float32 `input` with float16 `weight`", "check_name": "operand-dtype-mismatch",
      "fingerprint": "8c1f64b7a09d2e53", "severity": "critical",
      "location": {"path": "train.py", "lines": {"begin": 112}}}]

GitLab tells new findings from old ones by the fingerprint, which is SARIF's too.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .folds import Fold, folds
from .repository import Repository
from .wording import plural, printable

if TYPE_CHECKING:
    from .report import Report

_SEVERITIES = {"error": "critical", "warning": "major", "hint": "info"}
_TEXT = 2_000


def render(report: Report) -> str:
    """Return a list with an object for each finding."""
    repository = Repository.here()
    told = [_issue(fold, repository) for fold in folds(report, repository)]
    return json.dumps(told, indent=1)


def _issue(fold: Fold, repository: Repository) -> dict[str, Any]:
    finding = fold.finding
    at = finding.location
    also = f", and {plural(len(fold.followers), 'consequence')}"
    help_ = f"; help: {finding.help[0]}" if finding.help else ""
    text = f"{finding.message}{also if fold.followers else ''}{help_}"
    return {
        "description": printable(text[:_TEXT], " "),
        "check_name": finding.rule,
        "fingerprint": fold.fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {
            "path": repository.shown(at.file).lstrip("/") if at.file else ".",
            "lines": {"begin": max(at.line, 1)},
        },
    }
