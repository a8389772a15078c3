"""Show a setting's effect on hover: its run's effective precision, and for each value what decided it.

**model**
- compute `bfloat16` ← `accelerate.yaml:3` mixed_precision  **(here)**
- parameters `float32` ← default of accelerate 1.15.0
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ...lint.run import Run
from ...lint.table import Cell
from .judging import Folder, decides


def text(folder: Folder, file: str, line: int) -> str:
    """Return Markdown for a line of a file; empty if it sets nothing."""
    runs = sorted(folder.decided(file, line), key=lambda found: not found[1])
    return "\n".join(_table(runs[0][0], file, line)) if runs else ""


def _table(run: Run, file: str, line: int) -> Iterator[str]:
    yield "Effective precision"
    for part in run.table:
        yield f"\n**{_plain(part.name)}**\n"
        cells = [pair for pair in part.cells() if pair[1].value != "unknown"]
        cells.sort(key=lambda pair: not decides(pair[1], file, line))
        for name, cell in cells:
            here = "  **(here)**" if decides(cell, file, line) else ""
            yield f"- {name} `{_plain(cell.value)}`{_reason(cell)}{here}"
        unknown = [name for name, cell in part.cells() if cell.value == "unknown"]
        if unknown:
            yield f"- decided in code: {', '.join(unknown)}"


def _reason(cell: Cell) -> str:
    if cell.by is None:
        return f" ← {_plain(cell.why)}" if cell.why else ""
    at = cell.by.entry.at
    return f" ← `{_plain(os.path.basename(at.file))}:{at.line}` {_plain(cell.by.name)}"


def _plain(told: str) -> str:
    """Return words of a file without Markdown characters."""
    return "".join(
        " " if sign in "`*_[]<>\n\r|\\" and sign != "_" else sign for sign in told[:200]
    )
