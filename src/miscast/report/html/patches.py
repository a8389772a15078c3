"""The fixes of a finding, each with its diff if the edits are known."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from ...core.finding import Edit, Finding, Fix
from ..wording import path, states
from .excerpt import lines_of

MEANINGS = {
    "verified": "Miscast ran the check again with this change, at least to a point after the finding. "
    "The finding was gone, and no new one appeared.",
    "safe": "The change cannot make the program's numbers less precise.",
    "not tried": "Miscast did not run the check with this change.",
}
"""The meanings of a fix's states."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """A line of a unified diff; `kind` is "add", "del", "at", "file" or ""."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A fix, its states (see `MEANINGS`), and its diff."""

    title: str
    states: tuple[str, ...]
    diff: tuple[DiffLine, ...]


def ways(finding: Finding) -> Iterator[Way]:
    """Yield the fixes, verified ones first."""
    tried = any(fix.verified for fix in finding.fixes)
    for fix in sorted(finding.fixes, key=lambda one: not one.verified):
        known = states(fix, untried=tried)
        yield Way(title=fix.title, states=known, diff=tuple(diff_of(fix)))


def diff_of(fix: Fix) -> Iterator[DiffLine]:
    """Yield the diff, file by file; nothing if a file cannot be read or has changed."""
    for file in dict.fromkeys(edit.file for edit in fix.edits):
        lines = [line.rstrip("\r\n") for line in lines_of(file)]
        edits = [edit for edit in fix.edits if edit.file == file]
        if lines and all(edit.end_line <= len(lines) for edit in edits):
            name = path(file).lstrip("/")
            after = _edited(lines, edits)
            diff = difflib.unified_diff(
                lines, after, f"a/{name}", f"b/{name}", lineterm=""
            )
            yield from marked(diff)


def marked(diff: Iterator[str]) -> Iterator[DiffLine]:
    """Yield the lines of a diff, each with its kind."""
    kinds = {"+": "add", "-": "del", "@": "at"}
    head = True  # "---" within a hunk is a removed line
    for line in diff:
        head = (head or line.startswith("--- a/")) and not line.startswith("@@")
        yield DiffLine(kind="file" if head else kinds.get(line[:1], ""), text=line)


def _edited(lines: list[str], edits: list[Edit]) -> list[str]:
    """Apply the edits from the last to the first, so that line numbers stay valid."""
    after = list(lines)
    for edit in sorted(edits, key=lambda one: -one.start_line):
        new = edit.replacement.rstrip("\n").split("\n") if edit.replacement else []
        after[edit.start_line - 1 : edit.end_line] = new
    return after
