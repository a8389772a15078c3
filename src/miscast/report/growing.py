"""The findings of a report that grows: each has a number from 1, in the order in which they are told, and keeps it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..core.finding import Finding, Fix
from ..core.frozen import dataclass, replace

if TYPE_CHECKING:
    from .report import Report

_INDEX = re.compile(r"\b(cuda|npu|xpu):\d+")
"""The index of a device. The first rank to meet a finding is known only when all have."""
_Key = tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """A finding, whose `consequence_of` is a number here, and it as it was told `before`."""

    number: int
    finding: Finding
    before: Finding | None

    @property
    def proven(self) -> tuple[Fix, ...]:
        """The fixes that were verified since it was reported."""
        known = self.before.fixes if self.before else self.finding.fixes
        return tuple(f for f in self.finding.fixes if f.verified and f not in known)


class Numbers:
    """Numbers of the reported findings."""

    def __init__(self) -> None:
        self._told: dict[_Key, tuple[int, Finding]] = {}

    def of(self, report: Report) -> Iterator[Numbered]:
        """Yield the findings of a report; each counts as reported when the next is requested."""
        numbers: list[int] = []
        seen: Counter[_Key] = Counter()
        for finding in report.findings:
            key = _key(finding)
            seen[key] += 1
            key = (*key, seen[key])
            number, before = self._told.get(key, (len(self._told) + 1, None))
            numbers.append(number)
            root = finding.consequence_of
            follows = None if root is None else numbers[root]
            numbered = replace(finding, consequence_of=follows)
            yield Numbered(number=number, finding=numbered, before=before)
            self._told[key] = number, finding


def _key(finding: Finding) -> _Key:
    """Return the parts of a finding that stay the same however often, and on however many ranks, it occurs."""
    operands = (
        (one.name, one.tensor.dtype, _INDEX.sub(r"\1", one.tensor.device))
        for one in finding.operands
    )
    message = _INDEX.sub(r"\1", finding.message)
    place = finding.rule, finding.op, finding.location, finding.arguments
    return *place, message, *operands
