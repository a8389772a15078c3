"""A program of `programs/`: what several ranks run, with what Miscast must say of it marked on its lines.

    # ranks: 2                                   how many ranks run it
    # machine: cpu                               the machine that it is checked on
    # real: errors                               how it ends for real, over gloo: `errors` or `hangs` (not for GPUs)
    x = x.half()                                 # origin
    # fixed: x = x.float()
    dist.all_reduce(x)                           # finding: collective-dtype-mismatch

`finding` names the rule of the first finding that no other causes, at its line; the others must be marked `follows`.
`other` marks lines of other ranks that the finding names beside it, `earlier` those from which on the ranks came from
different lines, `origin` and `other-origin` those where the tensors
at odds got their dtype. `only: N` says which ranks it concerns. `fixed` is what stands in the line above in the
corrected twin, which must be silent, and end well for real. `note: TEXT` is in the report's notes or its ending.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_MARK = re.compile(r"#\s*(finding|follows|earlier|other-origin|other|origin|only|ends):?\s*([^#]*)")
_FIXED = re.compile(r"\s*# fixed:\s*(.*)")
_HEAD = re.compile(r"#\s*(ranks|machine|real):?\s*(.*)")


@dataclass(frozen=True)
class Program:
    """One file, read once."""

    path: Path

    @cached_property
    def source(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def head(self) -> dict[str, str]:
        lines = (_HEAD.fullmatch(line) for line in self.source.splitlines())
        return {found[1]: found[2].strip() for found in lines if found}

    @property
    def ranks(self) -> int:
        return int(self.head["ranks"])

    def marks(self, kind: str) -> list[tuple[int, str]]:
        """Lines and words of the marks of a kind."""
        found = []
        for number, line in enumerate(self.source.splitlines(), 1):
            if not _FIXED.fullmatch(line) and not _HEAD.fullmatch(line):
                found += [(number, match[2].strip()) for match in _MARK.finditer(line) if match[1] == kind]
        return found

    def lines(self, kind: str) -> set[int]:
        return {number for number, _ in self.marks(kind)}

    @cached_property
    def twin(self) -> str:
        """The corrected program."""
        lines = self.source.splitlines()
        for number, line in enumerate(lines):
            match = _FIXED.fullmatch(line)
            if match is not None:
                before = lines[number - 1]
                lines[number - 1], lines[number] = before[: len(before) - len(before.lstrip())] + match[1], ""
        return "\n".join(lines) + "\n"


def programs() -> list[Program]:
    return [Program(path) for path in sorted((Path(__file__).parent / "programs").glob("*.py"))]
