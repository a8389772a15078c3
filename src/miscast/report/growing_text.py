"""The report on a terminal while it grows: each finding when it is found, its fix when that is proven, then the rest.

1 error[operand-dtype-mismatch]  linear mixes float32 `input` with float16 `weight`
  train.py:112  unet.time_embedding.linear_1           emb = unet.time_embedding(t_emb)

fix 1   give `ones` its dtype at train.py:98  (verified, safe)

1 operand-dtype-mismatch at train.py:112: 40 times in total
  └ also  conv2d at train.py:112

1 error · 1,234 ops on v100, torch 2.13.0
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TextIO

from rich.text import Text

from ..core.frozen import replace
from .causes import causes
from .growing import Numbers
from .lines import behind, labelled, one_line
from .page import Line
from .paragraph import also, on_ranks, paragraph, state
from .text import closing, page_on
from .wording import place, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.finding import Finding
    from .report import Report


class GrowingText:
    """Prints causes; how often each was met, on which ranks, and what follows from it is known at the end."""

    def __init__(self, file: TextIO, *, verbose: bool) -> None:
        """Print on a terminal; `verbose`: nothing is left out."""
        self._page = page_on(file, "check")
        self._verbose = verbose
        self._numbers = Numbers()
        self._shown: dict[int, Finding] = {}
        self._mended: set[int] = set()
        self._last = ""

    def grown(self, report: Report) -> None:
        """Print what is new in a report that may grow further."""
        for one in self._numbers.of(report):
            if one.finding.consequence_of is None and one.number not in self._shown:
                self._found(one.number, one.finding)
            for fix in one.proven if one.number in self._shown else ():
                label = f"{'or' if one.number in self._mended else 'fix'} {one.number}"
                text = one_line(fix.title + state(fix, untried=False))
                self._put("fix", labelled(label, text, self._page.width, "green"))
                self._mended.add(one.number)

    def _found(self, number: int, finding: Finding) -> None:
        head, told = f"{number} ", replace(finding, ranks=())
        width = self._page.width - len(head)
        first, *more = paragraph(told, (), width, verbose=self._verbose)
        self._put("finding", [Text(head) + first, *more])
        self._shown[number] = finding

    def ended(self, report: Report) -> None:
        """Print what came after the findings, the sections and the summary."""
        self.grown(report)
        numbers = [one.number for one in self._numbers.of(report)]
        left = dict(self._shown)
        for index, finding, followers in causes(report.findings):
            before = left.pop(numbers[index])
            self._put("rest", self._rest(numbers[index], before, finding, followers))
        for number, finding in left.items():
            text = f"{_name(number, finding)}: replaced by a more specific finding"
            self._put("rest", [Text(text)])
        for block in closing(report, self._page.width, verbose=self._verbose):
            self._put("", block)

    def _rest(
        self,
        number: int,
        before: Finding,
        finding: Finding,
        followers: Sequence[Finding],
    ) -> Iterator[Text]:
        """Yield what a finding has that it had not when it was printed."""
        width = self._page.width
        rows = [*on_ranks(finding, width), *also(followers, width)]
        grown = finding.count > before.count
        if not (grown or rows):
            return
        how = f": {plural(finding.count, 'time')} in total" if grown else ""
        yield from behind(Text(_name(number, finding)), how, width)
        yield from rows

    def _put(self, kind: str, lines: Iterable[Line]) -> None:
        """Print a block, an empty line before it; not between two rows of one kind."""
        block = list(lines)
        if not block:
            return
        apart = self._last and not (kind == self._last in ("fix", "rest"))
        self._page.put([*([Text()] if apart else []), *block])
        self._last = kind or "closing"


def _name(number: int, finding: Finding) -> str:
    return f"{number} {finding.rule} at {place(finding.location)}"
