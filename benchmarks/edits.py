"""Apply the edits of a fix, as `--format json` has them, to the text of a file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def applied(text: str, edits: Iterable[dict[str, Any]]) -> str:
    """Return a text with these edits of it; of those that change the same line the first alone."""
    kept: list[dict[str, Any]] = []
    changed: set[int] = set()
    for edit in edits:
        last = max(edit["start_line"], edit["end_line"])  # what is inserted ends before it begins
        at = {*range(edit["start_line"], last + 1)}
        if not at & changed:
            changed |= at
            kept.append(edit)
    lines = text.splitlines(keepends=True)
    for edit in sorted(kept, key=lambda one: -int(one["start_line"])):
        lines[edit["start_line"] - 1 : edit["end_line"]] = [f"{edit['replacement']}\n"] if edit["replacement"] else []
    return "".join(lines)
