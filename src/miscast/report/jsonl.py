"""The report as lines of JSON, each written when it is known: a finding, a fix that was proven later, the whole.

    {"schema": 1, "event": "finding", "number": 1, "finding": {"rule": "operand-dtype-mismatch", …}}
    {"schema": 1, "event": "fix", "number": 1, "fix": {"title": "…", "safe": true, "verified": true, "edits": […]}}
    {"schema": 1, "event": "report", "numbers": [1], "report": {"schema": 1, …}}

`line_schema` declares them.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, TextIO

from msgspec import to_builtins

from . import schema
from .growing import Numbers
from .json import document, dumps, explanation, finding_data, taken

if TYPE_CHECKING:
    from .report import Report


def render(report: Report) -> str:
    """Return the lines of a report that is known at once."""
    text = io.StringIO()
    JsonLines(text).ended(report)
    return text.getvalue()


class JsonLines:
    """Writes a line for each finding and each fix that is proven later, and the whole report as the last one."""

    def __init__(self, file: TextIO) -> None:
        self._file, self._numbers = file, Numbers()

    def grown(self, report: Report) -> None:
        """Write what is new in a report that may grow further."""
        for one in self._numbers.of(report):
            if one.before is None:
                told = explanation if one.finding.pattern else finding_data
                self._write("finding", number=one.number, finding=told(one.finding))
            for fix in one.proven:
                self._write("fix", number=one.number, fix=taken(schema.Fix, fix))
        self._file.flush()

    def ended(self, report: Report) -> None:
        """Write what was not written, and the report."""
        self.grown(report)
        numbers = [one.number for one in self._numbers.of(report)]
        self._write("report", numbers=numbers, report=document(report))

    def _write(self, event: str, **data: Any) -> None:
        told = to_builtins({"schema": schema.SCHEMA, "event": event, **data})
        self._file.write(f"{dumps(told)}\n")
