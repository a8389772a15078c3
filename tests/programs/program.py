"""A program of this folder: real code, with what Miscast must say of it marked in comments on its lines.

    # machine: v100                              the machine that it is checked on (first line)
    # real: cpu                                  it also runs for real, and `check --machine cpu` must agree with torch
    # strict                                     as with `check --strict`
    mask = torch.ones(2, 1)                      # origin
    # fixed: mask = torch.ones(2, 1, dtype=x.dtype)
    y = linear(torch.cat([x, mask]))             # finding: operand-dtype-mismatch linear input
    z = linear(y)                                # consequence: operand-dtype-mismatch linear input

`finding` names rule, op and the operand to blame; several stand apart by `;`. `consequence` is one that is folded under
another. `origin` marks the lines behind the blamed operands of the findings: where they were born, cast, moved or
promoted. `fixed` is what stands in the line above in the corrected twin, which must be silent. A program without marks
must be silent itself. `ends: TEXT` says that the program does not run to its end; TEXT is in the line that tells so.
`note: TEXT` and `assumed: WHAT` must be in the trace.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARK = re.compile(r"#\s*(finding|consequence|origin|ends|note|assumed):?\s*([^#]*)")
_FIXED = re.compile(r"(\s*)# fixed:\s*(.*)")
_HEAD = re.compile(r"#\s*(machine|real|strict):?\s*(.*)")


@dataclass(frozen=True)
class Mark:
    """What a finding says, as far as a mark tells it."""

    line: int
    rule: str
    op: str
    blamed: str = ""

    def __str__(self) -> str:
        return f"line {self.line}: {self.rule} {self.op} {self.blamed}"


@dataclass(frozen=True)
class Program:
    """One file, read once."""

    path: Path

    @property
    def name(self) -> str:
        """Folder and file: the test's name."""
        return f"{self.path.parent.name}/{self.path.stem}"

    @cached_property
    def source(self) -> str:
        """Its text."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def head(self) -> dict[str, str]:
        """What its first comment lines say."""
        found = {}
        for line in self.source.splitlines():
            match = _HEAD.fullmatch(line)
            if match is None:
                break
            found[match[1]] = match[2].strip()
        return found

    def marked(self, kind: str) -> list[Mark]:
        """The findings that the marks of a kind tell, in the order of lines."""
        return [Mark(number, *one.split()) for number, text in self._marks(kind) for one in text.split(";")]

    def lines(self, kind: str) -> set[int]:
        """The lines that carry a mark."""
        return {number for number, _ in self._marks(kind)}

    def texts(self, kind: str) -> list[str]:
        """The words of marks."""
        return [text for _, text in self._marks(kind)]

    @cached_property
    def twin(self) -> str | None:
        """The corrected program, or None."""
        lines = self.source.splitlines()
        changed = False
        for number, line in enumerate(lines):
            match = _FIXED.fullmatch(line)
            if match is not None:
                lines[number - 1], lines[number] = match[1] + match[2], ""
                changed = True
        return "\n".join(lines) + "\n" if changed else None

    def _marks(self, kind: str) -> Iterator[tuple[int, str]]:
        for number, line in enumerate(self.source.splitlines(), 1):
            if not _FIXED.fullmatch(line):
                for match in _MARK.finditer(line):
                    if match[1] == kind:
                        yield number, match[2].strip()


def programs() -> list[Program]:
    """Every program of this folder."""
    here = Path(__file__).parent
    return [Program(path) for path in sorted(here.glob("*/*.py")) if not path.stem.startswith("_")]
