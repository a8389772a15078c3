"""Changed files as people and programs read them: one unified diff, and edits by line."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping

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
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return [
        Edit(
            file=path,
            start_line=begin + 1,
            end_line=end,
            replacement="\n".join(after[to:until]),
        )
        for tag, begin, end, to, until in matcher.get_opcodes()
        if tag != "equal"
    ]
