"""Changed files as people and programs read them: one unified diff, and edits by line."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from typing import AnyStr

from ..finding import Edit


def diffs(files: Mapping[str, tuple[bytes, bytes]]) -> str:
    """Return a unified diff of files, each with its old and new bytes. Names are relative, or all from the root."""
    here = all(map(is_inside, files))
    return "".join(
        diff(path, old, new, here=here) for path, (old, new) in sorted(files.items())
    )


def is_inside(path: str) -> bool:
    """Check whether a file is in the working directory or below it."""
    return not os.path.relpath(path).startswith("..")


def diff(path: str, old: bytes, new: bytes, *, here: bool = True) -> str:
    """Return one file's unified diff."""
    name = os.path.relpath(path) if here else os.path.abspath(path).lstrip("/")
    before, after = (
        data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
        for data in (old, new)
    )
    told = difflib.unified_diff(before, after, f"a/{name}", f"b/{name}")
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        for line in told
    )


def edited(path: str, old: bytes, new: bytes) -> list[Edit]:
    """Return the edits that turn one text of a file into the other, by lines of the first."""
    before, after = (
        data.decode("utf-8", "surrogateescape").splitlines() for data in (old, new)
    )
    return [
        Edit(
            file=path,
            start_line=begin + 1,
            end_line=end,
            replacement="\n".join(after[to:until]),
        )
        for tag, begin, end, to, until in opcodes(before, after)
        if tag != "equal"
    ]


def opcodes(
    before: Sequence[AnyStr], after: Sequence[AnyStr]
) -> list[tuple[str, int, int, int, int]]:
    """Return the opcodes of `difflib` between two texts, without comparing each of the same lines with all others."""
    same, back = ends(before, after)
    end, until = len(before) - back, len(after) - back
    inner = difflib.SequenceMatcher(
        None, before[same:end], after[same:until], autojunk=False
    )
    whole: list[tuple[str, int, int, int, int]] = [("equal", 0, same, 0, same)]
    for tag, a, b, c, d in inner.get_opcodes():
        whole.append((tag, a + same, b + same, c + same, d + same))
    whole.append(("equal", end, len(before), until, len(after)))
    return [one for one in whole if one[0] != "equal" or one[1] < one[2]]


def ends(before: Sequence[AnyStr], after: Sequence[AnyStr]) -> tuple[int, int]:
    """Return how many lines two texts have in common at their beginning, and at their end."""
    same = _same(before, after)
    return same, _same(before[same:][::-1], after[same:][::-1])


def _same(one: Sequence[AnyStr], other: Sequence[AnyStr]) -> int:
    """Return how many lines two texts begin with that are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    shorter = min(len(one), len(other))
    return next((n for n, (a, b) in pairs if a != b), shorter)
