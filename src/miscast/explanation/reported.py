"""Report the errors found in a log or an exception."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..core.finding import Finding
from ..core.frozen import dataclass
from ..report import Report

if TYPE_CHECKING:
    from rich.text import Text


def reported(found: Iterable[Finding]) -> Report:
    """Return the report on a text: each error once, in order."""
    findings = tuple(found)
    return Report(
        command="explain",
        machine="",
        torch="",
        findings=findings,
        sections=() if findings else (_Nothing(),),
    )


@dataclass(frozen=True, slots=True)
class _Nothing:
    """Says that nothing was recognised, for who reads; an empty list says it in JSON."""

    name = "nothing"

    def data(self) -> None:
        """Return no data."""

    def lines(self, _width: int) -> Iterator[Text]:
        """Yield one line."""
        from rich.text import Text

        yield Text(
            "nothing recognised: no dtype, device or precision error in this text"
        )
