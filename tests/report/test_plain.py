"""What is told where the report itself cannot be written, and of a run that judging did not survive."""

from __future__ import annotations

import json
from dataclasses import replace

import traces
from miscast.report import plain
from reports import report

MESSAGE = "linear mixes float32 `input` with float16 `weight`"


def test_a_line_for_each_finding():
    told = replace(report(traces.linear()), ended="the program raised KeyError: 'a\x1b[1m'")
    assert plain.as_text(told).splitlines() == [
        f"error[operand-dtype-mismatch]  {MESSAGE}  train.py:22",
        "ended   the program raised KeyError: 'a?[1m'",
    ]
    assert plain.as_text(report()) == ""


def test_an_object_with_what_every_reader_asks_for():
    told = replace(report(traces.linear()), ended="it ended")
    assert json.loads(plain.as_json(told)) == {
        "schema": 1, "machine": "v100", "torch": "2.13.0", "ended": "it ended", "failed": None,
        "findings": [
            {"rule": "operand-dtype-mismatch", "severity": "error", "message": MESSAGE,
             "location": {"file": "train.py", "line": 22}},
        ],
    }  # fmt: skip


def test_what_failed_is_told_after_what_failed_before():
    first = plain.failing(report(), KeyError("x"))
    assert "KeyError: 'x'" in first.failed
    assert "while it wrote the report" in first.failed
    assert "KeyError" in first.traceback
    assert plain.as_text(first).splitlines()[-1] == f"failed  {first.failed}"
    again = plain.failing(first, ValueError("y"))
    assert "KeyError: 'x'" in again.failed
    assert first.traceback in again.traceback
    assert "ValueError" in again.traceback
