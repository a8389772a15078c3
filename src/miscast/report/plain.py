"""A report told without its format, where that failed: rule, message and place of each finding, and what failed.

error[operand-dtype-mismatch]  linear mixes float32 `input` with float16 `weight`  train.py:112
failed  Miscast itself failed: KeyError: 'x' at miscast/report/paragraphs.py:80, while it wrote the report (…)
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..core.failure import Failures
from ..core.frozen import replace

if TYPE_CHECKING:
    from .report import Report


def failing(report: Report, error: Exception) -> Report:
    """Return the report with the failure to write it."""
    failures = Failures(report.failed, report.traceback)
    failures.note(error, "it wrote the report")
    return replace(report, failed=failures.line, traceback=failures.traceback)


def as_text(report: Report) -> str:
    """Return a line per finding; control characters of the program's names stay harmless."""
    lines = [
        f"{f.severity}[{f.rule}]  {f.message}  {f.location.file}:{f.location.line}"
        for f in report.findings
    ]
    lines += [f"ended   {report.ended}"] if report.ended else []
    lines += [f"failed  {report.failed}"] if report.failed else []
    return "".join(
        f"{''.join(c if c.isprintable() else '?' for c in line)}\n" for line in lines
    )


def as_json(report: Report) -> str:
    """Return one JSON object with the keys of schema 1 that every reader needs; the others are missing."""
    failed = {"ended": report.ended, "failed": report.failed}
    if report.command == "explain":
        told = [{"category": f.rule, "op": f.op, "error": f.error} for f in report]
        return json.dumps({"schema": 1, "explanations": told, **failed}, indent=2)
    findings = [
        {
            "rule": f.rule,
            "severity": f.severity,
            "message": f.message,
            "location": {"file": f.location.file, "line": f.location.line},
        }
        for f in report.findings
    ]
    ran = {"schema": 1, "machine": report.machine, "torch": report.torch}
    return json.dumps({**ran, "findings": findings, **failed}, indent=2)
