"""`lint --fix`: the safe edits of the findings, written line by line; comments and order stay as they are."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable

from ..finding import Edit, Finding


def safe(findings: Iterable[Finding]) -> dict[str, dict[int, Edit]]:
    """The safe edits by file and line; of two that touch a line, the first."""
    found: dict[str, dict[int, Edit]] = {}
    for finding in findings:
        for fix in finding.fixes[:1]:
            for edit in fix.edits if fix.safe else ():
                found.setdefault(edit.file, {}).setdefault(edit.start_line, edit)
    return found


def write(file: str, edits: Iterable[Edit]) -> int:
    """Replace lines of a file, its line ends, encoding mark and permissions kept; how many were replaced."""
    with open(file, encoding="utf-8", newline="") as stream:
        lines = stream.read().split("\n")
    done = 0
    for edit in edits:
        old = lines[edit.start_line - 1]
        end = "\r" if old.endswith("\r") else ""
        mark = "\ufeff" if old.startswith("\ufeff") else ""
        lines[edit.start_line - 1] = f"{mark}{edit.replacement}{end}"
        done += 1
    target = os.path.realpath(file)
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="", dir=os.path.dirname(target), delete=False
    ) as copy:
        copy.write("\n".join(lines))
    os.chmod(copy.name, os.stat(target).st_mode)
    os.replace(copy.name, target)
    return done
