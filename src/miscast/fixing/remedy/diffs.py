"""Changed files as people and programs read them: one unified diff, and edits by line."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping, Sequence
from typing import AnyStr

from ...core.finding import Edit


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
    texts = (data.decode("utf-8", "surrogateescape") for data in (old, new))
    before, after = (text.splitlines(keepends=True) for text in texts)
    told = difflib.unified_diff(before, after, f"a/{name}", f"b/{name}")
    end = "\n\\ No newline at end of file\n"
    return "".join(line if line.endswith("\n") else line + end for line in told)


def edited(path: str, old: bytes, new: bytes) -> list[Edit]:
    """Return the edits that turn one text of a file into the other, by lines of the first. Names are as in `diffs`."""
    name = os.path.relpath(path) if is_inside(path) else path
    before, after = (
        data.decode("utf-8", "surrogateescape").splitlines() for data in (old, new)
    )
    return [
        Edit(
            file=name,
            start_line=begin + 1,
            end_line=end,
            replacement="\n".join(after[to:until]),
        )
        for begin, end, to, until in differences(before, after)
    ]


def differences(
    before: Sequence[AnyStr], after: Sequence[AnyStr]
) -> list[tuple[int, int, int, int]]:
    """Return where two texts differ, as `difflib` does, which is slow where it compares the same lines with all others.

    Lines `begin` to `end` of the first have become lines `to` to `until` of the second.
    """
    same, back = ends(before, after)
    was, now = before[same : len(before) - back], after[same : len(after) - back]
    inner = difflib.SequenceMatcher(a=was, b=now, autojunk=False)
    found = (
        [n + same for n in lines]
        for tag, *lines in inner.get_opcodes()
        if tag != "equal"
    )
    return [(begin, end, to, until) for begin, end, to, until in found]


def ends(before: Sequence[AnyStr], after: Sequence[AnyStr]) -> tuple[int, int]:
    """Return how many lines two texts have in common at their beginning, and at their end."""
    same = _same(before, after)
    return same, _same(before[same:][::-1], after[same:][::-1])


def _same(one: Sequence[AnyStr], other: Sequence[AnyStr]) -> int:
    """Return how many lines two texts begin with that are the same."""
    pairs = enumerate(zip(one, other, strict=False))
    shorter = min(len(one), len(other))
    return next((n for n, (a, b) in pairs if a != b), shorter)
