"""Findings folded over cells, expectations, and the table."""

from __future__ import annotations

import json

import pytest

from miscast.core.event import Location, Memory
from miscast.core.finding import Finding
from miscast.planning.matrix.cell import crossed
from miscast.planning.matrix.outcome import Outcome, folded
from miscast.planning.matrix.specification import Expectation
from miscast.planning.matrix.table import Table
from miscast.planning.matrix.varied import axis, machines_axis
from miscast.report import Report
from sweep import sweep

AXES = (machines_axis(["v100", "a100"]), axis("--dtype", ["no", "fp16", "bf16"]))


def finding(rule, line=1, severity="error", follows=None):
    return Finding(
        rule=rule, severity=severity, message=f"{rule} is there", op="linear", phase="forward",
        location=Location(file="train.py", line=line), consequence_of=follows,
    )  # fmt: skip


def report(*findings, peak=0, ended=None):
    memory = (Memory(device="cuda:0", capacity=2**34, peak=peak),) if peak else ()
    return Report(machine="v100", torch="2.13.0", findings=findings, memory=memory, ended=ended)


def outcomes(found):
    return [Outcome(cell=cell, report=found(cell.labels)) for cell in crossed(AXES)]


def test_a_finding_is_told_once_with_its_cells():
    both = report(finding("mix"), finding("after", 2, follows=0))
    some = outcomes(lambda at: both if at["--dtype"] == "fp16" else report())
    found = folded(some, AXES)
    assert [(one.rule, one.consequence_of) for one in found.findings] == [("mix", None), ("after", 0)]
    assert found.findings[0].cells == "2 of 6 combinations: those with --dtype=fp16"
    assert found.of == ((), (0, 1), (), (), (0, 1), ())


def test_the_worst_and_the_most_frequent_come_first():
    def shown(at):
        rare = [finding("rare")] if at == {"machine": "v100", "--dtype": "no"} else []
        often = [finding("often", 3)] if at["machine"] == "a100" else []
        return report(finding("hint", severity="warning"), *rare, *often)

    found = folded(outcomes(shown), AXES)
    assert [one.rule for one in found.findings] == ["often", "rare", "hint"]
    assert [one.cells for one in found.findings] == [
        "3 of 6 combinations: those on a100", "1 of 6 combinations: on v100 with --dtype=no", "all 6 combinations",
    ]  # fmt: skip


def test_what_is_a_cause_somewhere_is_no_consequence():
    def shown(at):
        if at["machine"] == "v100":
            return report(finding("mix"), finding("after", 2, follows=0))
        return report(finding("after", 2))

    found = folded(outcomes(shown), AXES)
    assert {one.rule: one.consequence_of for one in found.findings} == {"after": 0, "mix": None} or {
        one.rule: one.consequence_of for one in found.findings
    } == {"after": None, "mix": None}


@sweep(
    ("found", "expectations", "surprise"),
    [
        (report(), (), ""),
        (report(finding("mix")), (), "found mix, expected nothing"),
        (report(finding("mix")), (Expectation(where={}, findings=("mix",)),), ""),
        (report(), (Expectation(where={}, findings=("mix",)),), "found nothing, expected mix"),
        (report(finding("mix")), (Expectation(where={"machine": ("a100",)}, findings=("mix",)),),
         "found mix, expected nothing"),
        (report(peak=3 * 2**30), (Expectation(where={}, memory=2 * 2**30),), "3.00 GiB, expected at most 2.00"),
        (report(peak=2**30), (Expectation(where={}, memory=2 * 2**30),), ""),
        (report(ended="ValueError: no"), (), "ValueError: no"),
        (None, (), "the run was killed (signal 9)"),
    ],
)  # fmt: skip
def test_what_was_not_expected(found, expectations, surprise):
    cell = next(crossed(AXES))
    outcome = Outcome(cell=cell, report=found, failed="" if found is not None else "the run was killed (signal 9)")
    assert outcome.surprising(expectations) == surprise


def table(some, expect=()):
    found = folded(some, AXES)
    return Table(
        target="train.py", axes=AXES, outcomes=tuple(some), findings=found.of,
        surprises=tuple(one.surprising(expect) for one in some),
        causes=tuple(n for n, one in enumerate(found.findings) if one.consequence_of is None),
    )  # fmt: skip


def test_the_table():
    def shown(at):
        if at["--dtype"] == "no":
            return report(peak=5 * 2**30)
        return report(finding("mix")) if at["--dtype"] == "fp16" else report(ended="KeyError: 'x'")

    some = outcomes(shown)
    some[3] = Outcome(cell=some[3].cell, impossible=(finding("refused", 9),))
    some[4] = Outcome(cell=some[4].cell, failed="not finished within 3 s")
    expected = Expectation(where={"machine": ("v100",), "--dtype": ("fp16",)}, findings=("mix",))
    assert [line.plain for line in table(some, (expected,)).lines(80)] == [
        "matrix  train.py: 6 combinations",
        "  --dtype  v100       a100",
        "  no       ✓ 5.0 GiB  ✗ 2",
        "  fp16     ✓ 1        failed",
        "  bf16     failed     failed",
        "  unexpected result  on v100, --dtype=bf16: KeyError: 'x'",
        "  failed  on a100, --dtype=fp16: not finished within 3 s",
        "  unexpected result  on a100, --dtype=bf16: KeyError: 'x'",
    ]


@pytest.mark.parametrize("width", [40, 60, 80])
def test_long_names_of_axes_are_cut(width):
    axes = (machines_axis(["v100", "a100"]), axis("--a_very_long_name_of_an_option_of_a_trainer", ["1", "2"]),
            axis("--another_very_long_name_of_an_option", ["3", "4"]))  # fmt: skip
    some = [Outcome(cell=cell, report=report(peak=2**30)) for cell in crossed(axes)]
    drawn = Table(
        target="train.py", axes=axes, outcomes=tuple(some), findings=((),) * 8, surprises=("",) * 8, causes=()
    )
    assert max(len(line.plain) for line in drawn.lines(width)) <= width


def test_json_has_every_cell():
    from miscast.report import json as format_

    some = outcomes(lambda at: report(finding("mix")) if at["--dtype"] == "fp16" else report(peak=7))
    found = folded(some, AXES)
    whole = Report(command="matrix", machine="v100", torch="", findings=found.findings, sections=(table(some),))
    data = json.loads(format_.render(whole))
    assert data["findings"][0]["cells"] == "2 of 6 combinations: those with --dtype=fp16"
    cells = data["matrix"]["cells"]
    assert [cell["status"] for cell in cells] == ["ok", "found", "ok"] * 2
    assert cells[1]["settings"] == {"machine": "v100", "--dtype": "fp16"}
    assert data["matrix"]["axes"] == {"machine": ["v100", "a100"], "--dtype": ["no", "fp16", "bf16"]}
