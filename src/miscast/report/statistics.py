"""Count the findings of each rule, for `--statistics` in a report.

12  operand-dtype-mismatch
 1  loss-scaler-misused
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..core.finding import Finding
from ..core.frozen import dataclass

if TYPE_CHECKING:
    from rich.text import Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """The rules of findings, those that have most first."""

    findings: tuple[Finding, ...]

    name = "statistics"

    def data(self) -> dict[str, int]:
        """Return the counts by rule."""
        ordered = sorted(self.findings, key=lambda finding: finding.rule)
        return dict(Counter(finding.rule for finding in ordered).most_common())

    def lines(self, width: int) -> Iterator[Text]:
        """Yield a line for each rule."""
        from rich.text import Text

        for rule, count in self.data().items():
            yield Text(f"{count:6,}  {rule}"[:width])
