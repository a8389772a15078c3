"""Entries under `mending` in the JSON of `miscast fix`: the result for each finding.

The edits of a fix are by the lines of the file with the fixes before it.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ...core.finding import Finding
from ...report import schema
from ...report.json import taken
from .mend import Fixed, Mending, Unfixed


class Change(Struct, kw_only=True):
    """A change that was tried, and its result."""

    title: str
    why: str


class FixedFinding(Struct, kw_only=True):
    """A finding that was fixed, and the fix."""

    rule: str
    message: str
    file: str
    line: int
    title: str
    safe: bool
    reason: str
    verified: bool
    tried: int
    edits: tuple[schema.Edit, ...]


class UnfixedFinding(Struct, kw_only=True):
    """A finding that was not fixed, and the changes that were tried."""

    rule: str
    message: str
    file: str
    line: int
    tried: tuple[Change, ...]


class Result(Struct, kw_only=True):
    """The results for the findings, as one diff and individually."""

    written: bool
    diff: str
    fixed: tuple[FixedFinding, ...]
    unfixed: tuple[UnfixedFinding, ...]
    left: tuple[str, ...]
    runs: int
    stopped: str | None
    switches: tuple[str, ...]


def result(mending: Mending, *, written: bool) -> Result:
    """Return the results for the findings; `written`: the files are changed."""
    return taken(
        Result,
        mending,
        written=written,
        diff=mending.diff(),
        fixed=[_fixed(fixed) for fixed in mending.fixed],
        unfixed=[_unfixed(unfixed) for unfixed in mending.unfixed],
        left=[finding.message for finding in mending.after.findings],
        runs=mending.trials,
        stopped=mending.stopped or None,
    )


def _fixed(fixed: Fixed) -> FixedFinding:
    return taken(
        FixedFinding,
        fixed.fix,
        **_which(fixed.finding),
        reason=fixed.reason,
        tried=fixed.tried,
    )


def _unfixed(unfixed: Unfixed) -> UnfixedFinding:
    tried = tuple(Change(title=title, why=why) for title, why in unfixed.tried)
    return UnfixedFinding(**_which(unfixed.finding), tried=tried)


def _which(finding: Finding) -> dict[str, Any]:
    place = finding.location
    rule, message = finding.rule, finding.message
    return {"rule": rule, "message": message, "file": place.file, "line": place.line}
