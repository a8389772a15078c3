"""`lint --fix`: the safe edits of the findings, written line by line; comments and order stay as they are."""

from __future__ import annotations

from collections.abc import Iterable

from ..atomic_write import write_atomically
from ..finding import Edit, Finding
from .formats import encoding


def safe(findings: Iterable[Finding]) -> dict[str, dict[int, Edit]]:
    """The safe edits by file and line; of two that touch a line, the first."""
    found: dict[str, dict[int, Edit]] = {}
    for finding in findings:
        for fix in finding.fixes[:1]:
            for edit in fix.edits if fix.safe else ():
                found.setdefault(edit.file, {}).setdefault(edit.start_line, edit)
    return found


def write(file: str, edits: Iterable[Edit]) -> int:
    """Replace lines of a file, its line ends, encoding and permissions kept; how many were replaced.

    The file is replaced as a whole, or, where that fails, left as it was: OSError.
    """
    with open(file, "rb") as stream:
        raw = stream.read()
    spelled = encoding(raw)
    lines = raw.decode(spelled).split("\n")
    done = 0
    for edit in edits:
        old = lines[edit.start_line - 1]
        end = "\r" if old.endswith("\r") else ""
        mark = "\ufeff" if old.startswith("\ufeff") else ""
        lines[edit.start_line - 1] = f"{mark}{edit.replacement}{end}"
        done += 1
    write_atomically(file, "\n".join(lines).encode(spelled))
    return done
