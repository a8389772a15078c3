"""The ways out of a finding, each with its change as a diff where it is known."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from ...finding import Edit, Finding, Fix
from ..wording import path
from .excerpt import lines_of


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """A line of a unified diff; `kind` is "add", "del", "at", "file" or ""."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way out, what is known of it ("verified", "safe"), and its diff."""

    title: str
    states: tuple[str, ...]
    diff: tuple[DiffLine, ...]


def ways(finding: Finding) -> Iterator[Way]:
    """Those first that were tried."""
    tried = any(fix.verified for fix in finding.fixes)
    for fix in sorted(finding.fixes, key=lambda one: not one.verified):
        known = {
            "verified": fix.verified,
            "safe": fix.safe,
            "not tried": tried and not fix.verified,
        }
        yield Way(
            title=fix.title,
            states=tuple(word for word, holds in known.items() if holds),
            diff=tuple(diff_of(fix)),
        )


def diff_of(fix: Fix) -> Iterator[DiffLine]:
    """What changes, file by file; nothing where a file cannot be read, or is not as it was."""
    for file in dict.fromkeys(edit.file for edit in fix.edits):
        lines = [line.rstrip("\r\n") for line in lines_of(file)]
        edits = [edit for edit in fix.edits if edit.file == file]
        if lines and all(edit.end_line <= len(lines) for edit in edits):
            name = path(file)
            after = _edited(lines, edits)
            diff = difflib.unified_diff(
                lines, after, f"a/{name}", f"b/{name}", lineterm=""
            )
            yield from marked(diff)


def marked(diff: Iterator[str]) -> Iterator[DiffLine]:
    """The lines of a diff, each with its kind."""
    kinds = {"+": "add", "-": "del", "@": "at"}
    head = True  # "---" within a hunk is a line that goes
    for line in diff:
        head = (head or line.startswith("--- a/")) and not line.startswith("@@")
        yield DiffLine(kind="file" if head else kinds.get(line[:1], ""), text=line)


def _edited(lines: list[str], edits: list[Edit]) -> list[str]:
    """From the last to the first, so that the numbers of the others hold."""
    after = list(lines)
    for edit in sorted(edits, key=lambda one: -one.start_line):
        new = edit.replacement.rstrip("\n").split("\n") if edit.replacement else []
        after[edit.start_line - 1 : edit.end_line] = new
    return after
