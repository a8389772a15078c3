"""The lines of `check --format jsonl`, schema 1, told apart by their `event`; frozen as `schema` is.

The last one has the whole report as `--format json` has it.
"""

from __future__ import annotations

from msgspec import Struct, defstruct

from .schema import Finding, Fix, Version


class FindingLine(Version, tag_field="event", tag="finding", kw_only=True):
    """A finding as it was when it was found; its `consequence_of` is the number of an earlier line."""

    number: int
    finding: Finding


class FixLine(Version, tag_field="event", tag="fix", kw_only=True):
    """A fix of the finding with this number, verified after the finding was written."""

    number: int
    fix: Fix


def lines(report: type[Struct]) -> object:
    """Return the type of a line; the last one has a report of this schema, and the numbers of its findings in order."""
    fields = [("numbers", tuple[int, ...]), ("report", report)]
    last = defstruct(
        "ReportLine",
        fields,
        bases=(Version,),
        tag_field="event",
        tag="report",
        kw_only=True,
    )
    return FindingLine | FixLine | last
