"""Every program of `programs/`: what is told of it, that its corrected twin is silent, and that real torch agrees."""

from __future__ import annotations

from pathlib import Path

import pytest

from miscast import api
from miscast.judging.rules import known
from miscast.report import Report

from .program import Program, programs
from .really import ran

PROGRAMS = programs()
REAL = [p for p in PROGRAMS if "real" in p.head]


def check(file: Path, program: Program) -> Report:
    return api.check_program(str(file), (), machine=program.head["machine"], ranks=program.ranks)


def twin(program: Program, folder: Path) -> Path:
    file = folder / "twin.py"
    file.write_text(program.twin, encoding="utf-8")
    return file


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.path.stem)
def test_marked(program: Program) -> None:
    report = check(program.path, program)
    assert [(f.location.line, f.rule) for f in report.causes] == program.marks("finding"), str(report)
    assert {f.location.line for f in report.findings if f.consequence_of is not None} == program.lines("follows")
    places = {f.location.line for f in report.causes}
    others = {r.location.line for f in report.causes for r in f.related if r.label.startswith("rank")}
    assert others - places == program.lines("other"), str(report)
    earlier = {r.location.line for f in report.causes for r in f.related if r.label.startswith("earlier")}
    assert earlier == program.lines("earlier"), str(report)
    assert [",".join(map(str, f.ranks)) for f in report.causes if program.marks("only")] == [
        text for _, text in program.marks("only")
    ]
    origins = [f.origin(o) for f in report.causes[:1] for o in f.operands]
    born = {event.location.line for origin in origins if origin for event in origin.chain() if event.location}
    marked = program.lines("origin") | program.lines("other-origin")
    assert not marked or born == marked, str(report)
    ends = program.marks("ends")
    assert all(text in str(report.ended) for _, text in ends), report.ended
    assert ends or report.ended is None or "AssertionError" in report.ended, report.ended


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.path.stem)
def test_corrected(program: Program, folder: Path) -> None:
    report = check(twin(program, folder), program)
    assert (report.findings, report.ended) == ((), None), str(report)
    assert report.matched


@pytest.mark.parametrize("program", REAL, ids=lambda p: p.path.stem)
def test_as_real_ranks(program: Program, folder: Path) -> None:
    file = folder / "faulty.py"
    file.write_text(program.source, encoding="utf-8")
    assert ran(file, program.ranks)[0] == program.head["real"], file.with_suffix(".log").read_text()


@pytest.mark.parametrize("program", REAL, ids=lambda p: p.path.stem)
def test_corrected_as_real_ranks(program: Program, folder: Path) -> None:
    outcome, log = ran(twin(program, folder), program.ranks)
    assert outcome == "well", log


def test_every_rule_across_ranks_has_a_program() -> None:
    marked = {rule for program in PROGRAMS for _, rule in program.marks("finding")}
    assert {rule.name for rule in known() if rule.across} <= marked


def test_a_rank_that_meets_the_first_gpu_is_told_to_choose_its_own() -> None:
    program = next(p for p in PROGRAMS if p.path.stem == "count_on_the_default_device")
    (finding,) = check(program.path, program).causes
    assert [fix.title for fix in finding.fixes] == [
        'call torch.cuda.set_device(int(os.environ["LOCAL_RANK"])) before moving any tensor'
    ]
