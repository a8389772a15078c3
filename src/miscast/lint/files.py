"""The files of a call of `lint`, which end the report: how many were read, skipped or could not be read.

2 errors · 3 configurations read, 1 other files skipped, on v100
a rule's page: miscast rules both-half-dtypes
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..core.finding import Finding
from ..core.frozen import dataclass

if TYPE_CHECKING:
    from rich.text import Text

    from ..report.view import View
    from .schema import FileCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A file that could not be read, and the parser's reason."""

    file: str
    reason: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        place = "".join(f":{number}" for number in (self.line, self.column) if number)
        return f"{self.file}{place}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Counts of files of a system (`read`) and of others, and the files that could not be read."""

    read: int
    skipped: int
    broken: tuple[Broken, ...]
    machine: str | None
    findings: tuple[Finding, ...]

    name = "files"

    def data(self) -> FileCounts:
        """Return the counts, and each broken file with its reason."""
        from .schema import counted

        return counted(self)

    def lines(self, width: int) -> Iterator[Text]:
        """Yield the number of findings, of files, and the rules' pages."""
        from rich.text import Text

        from ..report.lines import behind
        from ..report.paragraphs import rule_pages
        from ..report.verdict import tally

        read = " in the files read" if self.broken and not self.findings else ""
        head = Text.assemble(tally(self.findings), f"{read} · ")
        yield from behind(head, self._counts(), width)
        for command in rule_pages(self.findings):
            yield from behind(Text("rules  ", "dim"), command, width)

    def views(self) -> Iterator[View]:
        """Yield the number of files, and each file that could not be read."""
        from ..report.view import Words

        yield Words(text=self._counts(), tone="dim")
        for one in self.broken:
            yield Words(label="not read", text=str(one), tone="warn")

    def _counts(self) -> str:
        from ..report.wording import plural

        parts = [
            f"{plural(self.read, 'configuration')} read",
            f"{self.skipped:,} other {'file' if self.skipped == 1 else 'files'} skipped",
            f"on {self.machine}"
            if self.machine
            else "no --machine given: hardware not checked",
        ]
        if self.broken:
            parts.append(f"{plural(len(self.broken), 'file')} could not be read")
        return ", ".join(parts)
