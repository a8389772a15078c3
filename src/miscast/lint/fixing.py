"""`lint --fix`: write the safe edits of the findings line by line; comments and order are kept.

A line is replaced only if it has not changed since it was read. Both of two fixes on one line are written, unless they
change the same words.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator, Mapping

from ..core.atomic_write import write_atomically
from ..core.finding import Edit, Finding
from ..core.frozen import dataclass, replace
from .formats import encoding
from .run import Run
from .setting import LINE_END

_ANY_WRITE = 0o222


class ChangedError(ValueError):
    """A file has changed since it was read; nothing was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFix:
    """A line of a file as it was read, and its replacement; `left` counts fixes that conflict with it."""

    line: int
    old: str
    new: str
    left: int = 0


def safe(findings: Iterable[Finding], runs: Iterable[Run]) -> dict[str, list[LineFix]]:
    """Return the safe fixes of findings of these runs, by file and line."""
    read = {
        (entry.at.file, entry.at.line): entry.at.code
        for run in runs
        for claimed in run.claimed
        for entry in claimed.document.entries
    }
    found: dict[tuple[str, int], LineFix] = {}
    for edit in _safe_edits(findings):
        at = edit.file, edit.start_line
        old = read.get(at)
        if old is not None:
            before = found.get(at, LineFix(line=edit.start_line, old=old, new=old))
            found[at] = with_another(before, edit.replacement)
    by_file: dict[str, list[LineFix]] = {}
    for (file, _), fix in found.items():
        by_file.setdefault(file, []).append(fix)
    return by_file


def _safe_edits(findings: Iterable[Finding]) -> Iterator[Edit]:
    for finding in findings:
        for fix in finding.fixes[:1]:
            yield from fix.edits if fix.safe else ()


def with_another(before: LineFix, replacement: str) -> LineFix:
    """Return a line's fix combined with another replacement of the same original line."""
    start, end = _changed(before.old, replacement)
    text = replacement[start : len(replacement) - (len(before.old) - end)]
    first, last = _changed(before.old, before.new)
    shift = len(before.new) - len(before.old)
    if before.new == before.old or start >= last:
        new = f"{before.new[: start + shift]}{text}{before.new[end + shift :]}"
    elif end <= first:
        new = f"{before.new[:start]}{text}{before.new[end:]}"
    elif replacement == before.new:
        return before
    else:
        return replace(before, left=before.left + 1)
    return replace(before, new=new)


def _changed(old: str, new: str) -> tuple[int, int]:
    """Return the first and last (exclusive) offset of the part of the old line that the new one changes."""
    start = _alike(old, new)
    return start, len(old) - _alike(old[start:][::-1], new[start:][::-1])


def _alike(one: str, other: str) -> int:
    """Return the length of the common prefix."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def write(file: str, fixes: Iterable[LineFix]) -> int:
    """Replace lines of a file and return how many; line ends, encoding and permissions are kept.

    The file is replaced as a whole, or not at all: raises OSError if it cannot be written or is read-only,
    ChangedError if a line has changed since it was read.
    """
    # also for root, whom permissions do not stop
    if not os.stat(file).st_mode & _ANY_WRITE:
        raise PermissionError(errno.EACCES, "the file is read-only", file)
    with open(file, "rb") as stream:
        raw = stream.read()
    spelled = encoding(raw)
    pieces = LINE_END.split(raw.decode(spelled))
    mark = "\ufeff" if pieces[0].startswith("\ufeff") else ""
    pieces[0] = pieces[0].removeprefix(mark)
    lines = {fix.line: fix for fix in fixes}
    _compare(file, dict(enumerate(pieces[::2], 1)), lines)
    for line, fix in lines.items():
        pieces[2 * (line - 1)] = fix.new
    write_atomically(file, (mark + "".join(pieces)).encode(spelled))
    return len(lines)


def _compare(
    file: str, found: Mapping[int, str], expected: Mapping[int, LineFix]
) -> None:
    """Raise if a line has changed since it was read."""
    for line, fix in expected.items():
        if found.get(line) != fix.old:
            raise ChangedError(
                f"{file}:{line} has changed since it was read: nothing of the file was fixed"
            )
