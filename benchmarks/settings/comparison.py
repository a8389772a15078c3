"""What `lint` says of a combination, beside what was seen of it, cell by cell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from combination import Combination

from miscast.lint import Outcome, lint

Cells = Mapping[str, Mapping[str, str]]


def laid(one: Combination, folder: Path) -> None:
    """The combination's files, as a user has them."""
    for name, text in (*one.files.items(), *one.harness.items()):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "run.sh").write_text(one.script, encoding="utf-8")


def predicted(one: Combination, folder: Path) -> dict[str, Any]:
    """What `lint` says of the files in a folder: the table, and the errors that it says are raised."""
    outcome = linted(one, folder)
    errors = [f for f in outcome.report.findings if f.severity == "error" and not f.error.startswith("silent")]
    table = outcome.runs[0].table if outcome.runs else ()
    return {
        "cells": {part.name: {respect: cell.value for respect, cell in part.cells()} for part in table},
        "errors": [f"{f.rule}: {f.error}" for f in errors],
    }


def linted(one: Combination, folder: Path) -> Outcome:
    """What `lint` finds of a combination that is laid into a folder."""
    return lint([str(folder / name) for name in (*one.files, "run.sh")], machine=one.machine)


def compared(said: Cells, seen: Cells) -> dict[str, list[str]]:
    """The cells that were seen: that agree, that differ ("part, respect: said ≠ seen"), that are unknown."""
    found: dict[str, list[str]] = {"agree": [], "differ": [], "unknown": []}
    for part, cells in seen.items():
        for respect, value in cells.items():
            claim = said.get(part, {}).get(respect, "unknown")
            kind = "unknown" if claim == "unknown" else "agree" if claim == value else "differ"
            found[kind].append(f"{part}, {respect}: {claim}" + (f" ≠ {value}" if kind == "differ" else ""))
    return found
