"""Suppressions of a command's findings. A scan of the files shows whether there are any.

>>> Accounting(known=baseline.read("known.json")).of(report, judged)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from itertools import chain

from ..core.frozen import dataclass, field
from ..report import Report
from .marked import marked_text
from .settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounting:
    """`known` are the fingerprints of a baseline, `write` is a file that gets all that is left, as a new one.

    `ignored` are rules that the command line leaves out; `counted`: what is left is counted by rule.
    """

    settings: Settings = field(default_factory=Settings)
    known: frozenset[str] = frozenset()
    write: str | None = None
    ignored: frozenset[str] = frozenset()
    counted: bool = False

    def of(
        self,
        report: Report,
        judged: Callable[[], Collection[str]],
        files: Collection[str] = (),
    ) -> Report:
        """Return a report with the remaining findings. `judged` returns the rules that the command has checked.

        `files` are looked through for comments besides those that the report names. Raises UnusableError.
        """
        named = dict.fromkeys((*files, *_files(report)))
        marked = [file for file in named if marked_text(file) is not None]
        said = self.settings
        of_options = self.known, self.write, self.ignored, self.counted
        asked = (*of_options, said.rules, said.severity != "hint")
        if not (marked or any(asked)):
            return report
        from .accounted import accounted

        return accounted(report, self, judged(), marked)


def _files(report: Report) -> Iterator[str]:
    """Yield every file of the program in a report: of a finding, or of a place that it names."""
    for finding in report.findings:
        yield finding.location.file
        yield from (one.location.file for one in finding.related)
        yield from (one.file for one in finding.callers)
    places = chain(
        (one.location for one in report.memory),
        (one.location for one in report.assumed),
        (one.decided_by for one in report.precision),
    )
    yield from (at.file for at in places if at is not None)
    yield from (block.file for block in report.reach)
