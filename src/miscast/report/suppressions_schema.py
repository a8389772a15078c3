"""JSON of `suppressions`. msgspec, which no text needs, is imported with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from ..core.finding import Severity
from .json import taken

if TYPE_CHECKING:
    from .suppressions import Remark, Suppressed, Suppressions


class SuppressedData(Struct, kw_only=True):
    """A suppressed finding, as JSON."""

    rule: str
    message: str
    file: str
    line: int
    by: Literal["option", "comment", "settings", "baseline"]
    reason: str
    fingerprint: str
    severity: Severity = "error"


class RemarkData(Struct, kw_only=True):
    """A comment that suppresses nothing, or that contains a mistake, as JSON."""

    file: str
    line: int
    says: str


class SuppressionsData(Struct, kw_only=True):
    """The JSON of `suppressions`."""

    suppressed: tuple[SuppressedData, ...]
    unused: tuple[RemarkData, ...]
    mistakes: tuple[RemarkData, ...]


def listed(section: Suppressions) -> SuppressionsData:
    """Return each suppressed finding, and each comment that is wrong."""
    return SuppressionsData(
        suppressed=tuple(map(_suppressed, section.suppressed)),
        unused=tuple(map(_remark, section.unused)),
        mistakes=tuple(map(_remark, section.mistakes)),
    )


def _suppressed(one: Suppressed) -> SuppressedData:
    at = one.finding.location
    own = {"file": at.file, "line": at.line, "by": one.by, "reason": one.reason}
    return taken(SuppressedData, one.finding, **own)


def _remark(one: Remark) -> RemarkData:
    return RemarkData(file=one.location.file, line=one.location.line, says=one.says)
