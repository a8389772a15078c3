"""What `help` says of small programs: it names a line and an object that are there, and a change that runs there.

    # machine: 2xa100
    # help: the first advice, with (safe) where it is called that
    # or: the second

The programs are in the folder `help`, one each; their first finding is looked at.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

from miscast.core.machines import find
from miscast.report.judged import judged
from miscast.running.program.run import run_program

PROGRAMS = sorted((Path(__file__).parent / "help").glob("*.py"))


def told(script, machine):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trace = run_program(str(script), (), find(machine))
    assert (trace.ended, trace.failed) == (None, None)
    return judged(trace).findings[0].fixes


def changed(text, edits):
    """A text with edits by its lines, the last first."""
    lines = text.splitlines()
    for edit in sorted(edits, key=lambda one: -one.start_line):
        lines[edit.start_line - 1 : edit.end_line] = edit.replacement.splitlines()
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_help_for_a_program(program, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    head = re.match(r"# machine: (\S+)\n((?:# (?:help|or): .*\n)+)", program.read_text(encoding="utf-8"))
    expected = [line.partition(": ")[2] for line in head[2].splitlines()]
    fixes = told(program, head[1])
    assert [f"{fix.title}{' (safe)' if fix.safe else ''}" for fix in fixes] == expected
    text = program.read_text(encoding="utf-8")
    for fix in fixes:
        if fix.edits:  # what an advice says is what its edit writes
            compile(changed(text, fix.edits), str(program), "exec")
            assert any(f":{edit.start_line}" in fix.title for edit in fix.edits)
