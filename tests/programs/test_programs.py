"""Every program of this folder, checked against its marks; its corrected twin is silent; real torch agrees.

What is told of it stands word for word beside it, in a file `*.told`: `pytest --renew tests/programs` writes that.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from miscast.report import text

from .checked import Checked, check, run
from .program import Mark, Program, programs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PROGRAMS = programs()


@pytest.fixture
def folder(tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the files that programs read."""
    shutil.copytree(files, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _told(checked: Checked, *, consequences: bool = False) -> list[Mark]:
    return sorted(
        (
            Mark(f.location.line, f.rule, f.op, checked.blamed(f))
            for f in checked.findings
            if (f.consequence_of is not None) == consequences
        ),
        key=str,
    )


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_a_program(program: Program, folder: Path, golden: Callable[[Path, str], None]) -> None:
    real = program.head.get("real") == "cpu"
    copy = folder / program.path.name  # its name is short, wherever the repository lies
    shutil.copy(program.path, copy)
    checked = check(copy, program.head["machine"], strict="strict" in program.head)
    _as_marked(program, checked)
    told = replace(checked.report, ops=1, memory=())  # libraries and torch keep values for the next program
    golden(program.path.with_suffix(".told"), text.render(told, verbose=True))
    if real:
        _agrees(program.path)
    if program.twin is not None:
        twin = folder / "twin.py"
        twin.write_text(program.twin, encoding="utf-8")
        checked = check(twin, program.head["machine"], strict="strict" in program.head)
        assert (_told(checked), _told(checked, consequences=True)) == ([], [])
        assert checked.trace.ended is None
        if real:
            _agrees(twin)


def _as_marked(program: Program, checked: Checked) -> None:
    assert _told(checked) == sorted(program.marked("finding"), key=str)
    assert set(_told(checked, consequences=True)) == set(program.marked("consequence"))
    if program.lines("origin"):
        assert checked.origins() == program.lines("origin")
    ends = program.texts("ends")
    assert checked.trace.ended is None if not ends else ends[0] in str(checked.trace.ended), checked.trace.ended
    assert all(any(text in note for note in checked.trace.notes) for text in program.texts("note")), checked.trace.notes
    assumed = {a.what for a in checked.trace.assumed}
    assert set(program.texts("assumed")) <= assumed, assumed


def _agrees(file: Path) -> None:
    """Check that real torch raises at the line of the first error, or nowhere."""
    raised = run(file)
    checked = check(file, "cpu")
    first = next((f for f in checked.findings if f.severity == "error"), None)
    told = first and (first.location.line, first.message)
    assert (raised and raised[0]) == (first and first.location.line), f"torch: {raised}, Miscast: {told}"
