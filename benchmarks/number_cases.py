"""A silent fault of numbers as data: a program that runs, the line at fault, its right form, and the harm.

    total += loss.bfloat16()  # fault: accumulate-in-half

    def harm():
        return abs(total.item() / exact - 1)

    # right:
    #-     total += loss.bfloat16()
    #+     total += loss

`harm()` is called after the program has run, and returns a number that is large for the faulty form and small for the
right one. `tests/numbers` runs every case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[1] / "corpus" / "numbers"
CASES = CORPUS / "cases"
INTENDED = sorted((CORPUS / "intended").glob("*.py"))
"""Programs that lose numbers on purpose: none is to be reported."""
MISSED = CORPUS / "missed.json"
_MARK = re.compile(r"\s*# fault: ([a-z-]+)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """`line`, from 1, is the one to be named; `kind` is what is wrong there."""

    name: str
    title: str
    kind: str
    line: int
    faulty: str
    right: str


def read(file: Path) -> Case:
    """Raises ValueError where a file is no case."""
    program, mark, change = file.read_text("utf-8").partition("\n# right:\n")
    marked = [(n, found[1]) for n, line in enumerate(program.splitlines(), 1) if (found := _MARK.search(line))]
    if not mark or len(marked) != 1:
        raise ValueError(f"{file}: one line says `# fault: …`, and `# right:` stands at the end")
    line, kind = marked[0]
    bare = "\n".join(_MARK.sub("", one) for one in program.splitlines()) + "\n"
    return Case(
        name=file.stem, title=program.splitlines()[0].strip('"'), kind=kind, line=line, faulty=bare,
        right=_changed(bare, change, file),
    )  # fmt: skip


def cases() -> list[Case]:
    """All of them, by name."""
    return [read(file) for file in sorted(CASES.glob("*.py"))]


def missed() -> Mapping[str, list[str]]:
    """By engine, the cases whose marked line it does not report: a list that may only shrink."""
    known: dict[str, list[str]] = json.loads(MISSED.read_text("utf-8"))
    return known


def _changed(program: str, change: str, file: Path) -> str:
    for old, new in _hunks(change):
        if program.count(old) != 1:
            raise ValueError(f"{file}: these lines stand in the program {program.count(old)} times:\n{old}")
        program = program.replace(old, new)
    return program


def _hunks(change: str) -> list[tuple[str, str]]:
    """Lines of `#- ` and the lines of `#+ ` that take their place."""
    found: list[tuple[list[str], list[str]]] = []
    for line in change.splitlines():
        mark, text = line[:2], line[3:]
        if mark == "#-":
            if not found or found[-1][1]:
                found.append(([], []))
            found[-1][0].append(text)
        elif mark == "#+":
            found[-1][1].append(text)
    return [("".join(f"{one}\n" for one in old), "".join(f"{one}\n" for one in new)) for old, new in found]
