"""The report of fidelity counts what it says it counts, and its calls are repeatable."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sweep import sweep

FOLDER = str(Path(__file__).parents[2] / "benchmarks")
sys.path.insert(0, FOLDER)
from trials import pool  # noqa: E402
from trials.outcome import Checked, Lost, Outcome, Told, Trial, trial  # noqa: E402
from trials.table import families, kinds, percent, remarks, share, worst  # noqa: E402
from trials.verdict import named, same_operand, verdict  # noqa: E402

sys.path.remove(FOLDER)

RAN = Outcome(results=("float32",), gradients=("float16", "none"))
RAISED = Outcome(error="RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half")
SINGULAR = Outcome(error="RuntimeError: linalg.solve: the solver failed because the input matrix is singular.")
ALIKE = Checked(results=("float32",), gradients=("float16", "none"))
TOLD = Checked(
    told=(
        Told(op="linear", message="linear mixes float32 `input` with float16 `weight`", arguments=("input", "weight")),
    )
)
ENDED = Checked(ended="the program raised RuntimeError: …")
CRASHED = Checked(crash="KeyError: 'x'")


def made(real=RAN, checked=ALIKE, faked=RAN, alone=ALIKE, **more):
    return Trial(**{"op": "linear", "family": "matmul", "call": "linear in float16", **more},
                 real=real, checked=checked, alone=alone, faked=faked)  # fmt: skip


@sweep(
    ("real", "checked", "expected"),
    [
        (RAN, ALIKE, "right"),
        (RAN, TOLD, "false alarm"),
        (RAN, ENDED, "ended"),
        (RAN, CRASHED, "crash"),
        (RAN, Checked(results=("float16",), gradients=("float16", "none")), "wrong result"),
        (RAN, Checked(results=("float32", "float32"), gradients=("float16", "none")), "wrong result"),
        (RAN, Checked(results=("float32",), gradients=("float16", "float16")), "wrong gradient"),
        (RAISED, TOLD, "right"),
        (RAISED, ALIKE, "missed"),
        (RAISED, ENDED, "missed, ended"),
        (RAISED, CRASHED, "crash"),
        (SINGULAR, ALIKE, "not dtypes"),
        (SINGULAR, TOLD, "not dtypes"),
        (SINGULAR, CRASHED, "crash"),
    ],
)
def test_verdicts(real, checked, expected):
    assert verdict(made(real, checked)) == expected


@sweep(
    ("text", "arguments", "expected"),
    [
        ("mat1 and mat2 must have the same dtype, but got Float and Half", "input weight bias", "input weight"),
        ("Input type (float) and bias type (c10::Half) should be the same", "input weight bias", "input bias"),
        ("Expected tensor for argument #1 'indices' to have … (while checking …)", "weight indices", "indices"),
        ("scatter(): Expected self.dtype to be equal to src.dtype", "self index src", "self src"),
        ("gather(): Expected dtype int32/int64 for index", "self index", "index"),
        ("expected scalar type Half but found Float", "self mat2", ""),
        ("addmv input tensors must have the same dtype, but got Float, Float, and Double", "self mat vec", ""),
        ("Input type (bool) and bias type (c10::Half) should be the same", "input weight bias", "input bias"),
        ("\"self\" not implemented for 'Half'", "self other", ""),
        ("\"sign_cpu\" not implemented for 'Float8_e4m3fn'", "self", ""),
    ],
)
def test_operands_that_an_error_names(text, arguments, expected):
    assert named(f"RuntimeError: {text}", arguments.split()) == [{one} for one in expected.split()]


@pytest.mark.parametrize(
    ("operands", "expected"),
    [(("input", "weight"), True), (("weight",), True), (("input", "bias"), False), (("bias",), False)],
)
def test_the_same_operand(operands, expected):
    message = f"linear mixes {' and '.join(f'`{name}`' for name in operands)}"
    told = Told(op="linear", message=message, arguments=("input", "weight", "bias"))
    assert same_operand(RAISED.error, [told]) is expected
    assert verdict(made(RAISED, Checked(told=(told,)))) == ("right" if expected else "other operand")


def test_a_text_without_operands_judges_none():
    assert same_operand("RuntimeError: expected scalar type Half but found Float", TOLD.told) is None


def test_the_table_of_families():
    trials = [
        made(),
        made(checked=TOLD),
        made(RAISED, TOLD),
        made(RAISED, ALIKE, RAISED),
        made(SINGULAR),
        made(RAISED, ENDED, Outcome(error="DataDependentOutputException: aten._local_scalar_dense"), family="other"),
    ]
    rows = [[cell.strip("* ") for cell in row.split("|")[1:-1]] for row in families(trials).splitlines()]
    assert rows[2:] == [
        ["matmul", "5", "2", "50.00 %", "50.00 %", "2", "1 (50.00 %)", "0", "0", "", ""],
        ["other", "1", "1", "0.00 %", "0.00 %", "0", "0", "0", "0", "1", ""],
        ["all", "6", "3", "33.33 %", "33.33 %", "2", "1 (50.00 %)", "0", "0", "1", ""],
    ]


def test_what_the_table_does_not_show():
    said = "\n".join(remarks([made(RAISED, TOLD), made(SINGULAR)],
                             [Lost(op="svd", call="svd in float32", stage="check", why="exit code -11")]))  # fmt: skip
    assert "small calls on the CPU: recall 0.00 %, false alarms 0," in said
    assert "1 errors name an operand; the finding names the same in 100 %" in said
    assert "1 calls raise in torch for other reasons" in said
    assert "svd in float32 (exit code -11)" in said


def test_disagreements_are_listed_with_an_example():
    trials = [made(), made(RAISED, ALIKE, op="mm", call="mm|in float16"), made(RAISED, op="mm"), made(checked=TOLD)]
    lines = worst(trials).splitlines()[2:]
    assert [line.split(" | ")[:3] for line in lines] == [["| mm", "missed", "2"], ["| linear", "false alarm", "1"]]
    assert "mat1 and mat2" in lines[0]
    assert "| missed | 2 | 1 |" in kinds(trials)


def test_nothing_is_rounded_to_perfection():
    assert [percent(99_999, 100_000), percent(7, 7), percent(0, 0)] == ["99.99 %", "100 %", ""]
    assert [share(0, 9), share(1, 4)] == ["0", "1 (25.00 %)"]


def test_a_trial_survives_its_way_through_json():
    one = made(RAISED, TOLD)
    assert trial(json.loads(json.dumps(one.data()))) == one


def test_a_worker_that_says_nothing_loses_its_op_alone(monkeypatch):
    monkeypatch.setattr(pool, "PATIENCE", 0.0)
    found = list(pool.run({"mm": 1, "bmm": 1, "dot": 1}, seed=1, deadline=time.monotonic() + 60))
    assert {one.op for one in found if isinstance(one, Lost)} == {"mm", "bmm", "dot"}
    assert {one for one in found if isinstance(one, str)} == {"mm", "bmm", "dot"}


@pytest.mark.slow
@pytest.mark.minutes
def test_a_seed_repeats_a_run():
    script = [sys.executable, str(Path(FOLDER, "fidelity.py")), "--ops", "mm,cat", "--samples", "6", "--seed", "3"]
    ran = [subprocess.run(script, capture_output=True, text=True, check=True, timeout=200) for _ in range(2)]
    first, again = (
        [line for line in one.stdout.splitlines() if line.startswith(("torch", "| matmul", "| joining", "| **all**"))]
        for one in ran
    )
    assert len(first) == 4
    assert first == again
