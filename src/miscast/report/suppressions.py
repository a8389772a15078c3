"""Suppressed findings and the reasons. They are in one line, and data for the formats that list them.

suppressed  3 findings: 2 by comments (train.py:12, train.py:40), 1 in the baseline
unused      train.py:55: ignore[loss-rounds] has no effect
mistake     train.py:60: unknown rule 'los-rounds': did you mean loss-rounds?
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rich.text import Text

from ..core.event import Location
from ..core.finding import Finding
from .lines import labelled, one_line
from .wording import place, plural

if TYPE_CHECKING:
    from .report import Report
    from .suppressions_schema import SuppressionsData

By = Literal["option", "comment", "settings", "baseline"]
_WORDS: dict[By, str] = {
    "option": "by --select or --ignore",
    "comment": "by comments",
    "settings": "by the project's settings",
    "baseline": "in the baseline",
}
_LISTED, _LABEL = 6, 11


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressed:
    """A finding that is not told, what suppresses it, and why, where somebody said so; `at` is the comment's place."""

    finding: Finding
    by: By
    reason: str = ""
    at: Location | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """A comment that does not do what it should, and why."""

    location: Location
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suppressions:
    """A report's section on what it does not tell."""

    suppressed: tuple[Suppressed, ...] = ()
    unused: tuple[Remark, ...] = ()
    mistakes: tuple[Remark, ...] = ()

    name = "suppressions"

    def data(self) -> SuppressionsData | None:
        """Return all of it."""
        from .suppressions_schema import listed

        return listed(self) if self else None

    def __bool__(self) -> bool:
        return bool(self.suppressed or self.unused or self.mistakes)

    def lines(self, width: int) -> Iterator[Text]:
        """Yield the lines of `told`."""
        for label, text in self.told():
            yield from labelled(label, text, width, "yellow", column=_LABEL)

    def told(self) -> Iterator[tuple[str, str]]:
        """Yield a label and a line on what is suppressed, and on each comment that is wrong."""
        if self.suppressed:
            yield "suppressed", one_line(self._counted())
        for label, some in (("unused", self.unused), ("mistake", self.mistakes)):
            for one in some:
                yield label, one_line(f"{place(one.location)}: {one.says}")

    def _counted(self) -> str:
        parts = []
        for by, words in _WORDS.items():
            some = [one for one in self.suppressed if one.by == by]
            if some:
                parts.append(f"{len(some):,} {words}{_places(some, by)}")
        return f"{plural(len(self.suppressed), 'finding')}: {', '.join(parts)}"


def suppressions(report: Report) -> Suppressions:
    """Return a report's section; an empty one, where it has none."""
    found = (one for one in report.sections if isinstance(one, Suppressions))
    return next(found, Suppressions())


def _places(some: list[Suppressed], by: By) -> str:
    if by in ("baseline", "option"):
        return ""
    places = dict.fromkeys(place(one.at or one.finding.location) for one in some)
    more = ", …" if len(places) > _LISTED else ""
    return f" ({', '.join([*places][:_LISTED])}{more})"
