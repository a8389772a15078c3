"""Writes the table that `contracts/table.py` reads: gzip'd JSON lines, one for the machine, one for each op and form.

    {"schema": 1, "device": "cpu", "name": "…", "arch": "x86_64", "torch": "2.13.0+cpu", "crashed": [], …}
    {"op": "aten.add.Tensor", "operands": ["self", "other"], "runs": {"f": "ff ff0 …"}, "raises": {"…": "1f f1 …"}}

Equal measurements make equal bytes.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from miscast.core.atomic_write import write_atomically
from miscast.torch_facts.contracts.table import SCHEMA

_ORDER = ("runs", "raises", "backward", "gradients")


class Rows:
    """Answers, gathered by op, operands and autocast."""

    def __init__(self) -> None:
        self._rows: dict[
            tuple[str, tuple[str, ...], str], dict[str, dict[str, set[str]]]
        ] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(
        self, op: str, operands: Sequence[str], answers: Iterable[Sequence[str]]
    ) -> None:
        """Add a worker's answers: (which, autocast, outcome, signature)."""
        for which, autocast, outcome, signature in answers:
            row = self._rows.setdefault((op, tuple(operands), autocast), {})
            row.setdefault(which, {}).setdefault(outcome, set()).add(signature)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the lines as they are in the file."""
        for (op, operands, autocast), row in sorted(self._rows.items()):
            line: dict[str, Any] = {"op": op, "operands": list(operands)}
            if autocast:
                line["autocast"] = autocast
            line |= {which: _joined(row[which]) for which in _ORDER if which in row}
            moved: dict[str, Any] = {}
            if "moved runs" in row:
                moved["runs"] = " ".join(sorted(row["moved runs"][""]))
            if "moved raises" in row:
                moved["raises"] = _joined(row["moved raises"])
            yield {**line, "moved": moved} if moved else line


def _joined(outcomes: Mapping[str, Iterable[str]]) -> dict[str, str]:
    return {
        outcome: " ".join(sorted(outcomes[outcome])) for outcome in sorted(outcomes)
    }


def write(path: Path, head: Mapping[str, Any], rows: Rows) -> None:
    """Write the whole file or, if that fails, nothing: it is renamed when it is complete."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0) as out:
        for line in ({"schema": SCHEMA, **head}, *rows.lines()):
            out.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
    write_atomically(path, buffer.getvalue())
