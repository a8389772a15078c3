"""`miscast plan` finds what fits, says what it costs, and what is missing where nothing does."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import warm
from miscast import Policy
from miscast.cli import main

SMALL = str(Path(__file__).with_name("small.py"))


def planned(capsys, *words):
    code = main(["plan", "--format", "json", *words])
    return code, json.loads(capsys.readouterr().out)["plan"]


def point(plan, **precisions):
    wanted = {"encoder": "32-true", "net": "32-true", **precisions}
    return next(one for one in plan["points"] if one["precisions"] == wanted)


def test_least_is_risked_where_no_error_is_known(capsys, tmp_path):
    code, plan = planned(
        capsys, "--machine", "rtx4090", "--apply", str(tmp_path / "p.toml"), SMALL, "2048", "1e-3"
    )
    assert code == 0
    assert plan["chosen"]["precisions"] == {"encoder": "32-true", "net": "32-true"}
    whole = point(plan)
    parameters = 2048 * 2048 + 2048
    trained = 2048 * 8192 + 8192 + 2 * 8192 + 8192 + 1
    # weights, and of what is trained the gradient, two moments, and what the step takes at a time
    assert whole["peak"] == pytest.approx(4 * parameters + 20 * trained, rel=0.01)
    half = point(plan, encoder="bf16-true")
    assert whole["peak"] - half["peak"] == pytest.approx(2 * parameters, rel=0.05)
    pure = point(plan, net="bf16-true")
    assert whole["peak"] - pure["peak"] == pytest.approx(10 * trained, rel=0.01)
    assert pure["forecast"]["seconds"] < whole["forecast"]["seconds"]
    assert Policy.read(str(tmp_path / "p.toml")) == Policy.from_toml(plan["policy"])
    assert main(["plan", "--apply", str(tmp_path / "p.toml"), SMALL]) == 2
    assert "the file already exists" in capsys.readouterr().err


@pytest.mark.slow
def test_a_program_that_stays_on_the_cpu_has_no_forecast(capsys):
    assert main(["plan", "--machine", "m2", SMALL, "64", "1e-3"]) == 0
    told = capsys.readouterr().out
    assert "no forecast: the program ran nothing on mps" in told
    assert "(forecast)" not in told


@pytest.mark.slow
def test_what_is_missing_is_told_where_nothing_fits(capsys):
    code, plan = planned(capsys, "--machine", "rtx4090", "--memory", "1M", SMALL, "512", "1e-3")
    assert code == 1
    assert plan["chosen"] is None
    assert plan["nearest"]["peak"] > 1 << 20
    assert plan["nearest"]["line"] is not None
    kept = [one for one in plan["points"] if not one["out"]]
    assert plan["nearest"]["peak"] == min(one["peak"] for one in kept)


@pytest.mark.slow
def test_what_is_to_be_kept_is_kept(capsys):
    _, plan = planned(
        capsys, "--machine", "v100", "--memory", "1M", "--keep", "encoder=float64", SMALL, "64", "1e-3"
    )
    changed = [one for one in plan["points"] if not one["as_it_is"]]
    assert {one["precisions"]["encoder"] for one in changed} == {"64-true"}
    # bfloat16 is emulated there
    assert {one["precisions"]["net"] for one in changed} == {"32-true", "16-mixed", "16-true"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no program given"),
        (("--keep", "unet", SMALL), "NAME=PRECISION"),
        (("--keep", "net=float31", SMALL), "float31"),
        pytest.param(
            ("--keep", "other=float32", "--machine", "a100", SMALL, "8", "1e-3"),
            "the program's models are",
            marks=pytest.mark.slow,
        ),
        (("--machine", "a101", SMALL), "unknown machine"),
        (("--error", "-1", SMALL), "expected an error above 0"),
        (("--ranks", "0", SMALL), "expected a number of ranks (1 to"),
        (("absent.py",), "no such file"),
    ],
)
def test_what_cannot_be_planned_is_one_line(capsys, words, said):
    try:
        code = main(["plan", *words])
    except SystemExit as refused:
        code = refused.code
    assert code == 2
    told = capsys.readouterr().err.strip().splitlines()[-1]
    assert said in told


@pytest.mark.slow
def test_error_is_measured_and_what_stands_still_is_out():
    ran = warm.python(
        *("-m", "miscast", "plan", "--machine", "a100", "--format", "json"),
        *("--seeds", "1", "--real-steps", "3", "--measure", "32 1e-6", SMALL, "512", "1e-6"),
    )
    plan = json.loads(ran.stdout)["plan"]
    assert ran.returncode == 0, ran.stderr
    assert point(plan)["error"] < 1e-6
    assert 1e-6 < point(plan, encoder="bf16-true")["error"] < 1e-1
    # a rate of a millionth is below the spacing of bfloat16's weights
    assert "updates are rounded away" in point(plan, net="bf16-true")["out"]
    assert not point(plan, net="bf16-mixed")["out"]
    assert plan["chosen"]["precisions"]["net"] != "bf16-true"
    assert "finds nothing" in plan["proof"]
    # the policy, applied to the program, trains it to the same losses
    small = runpy.run_path(SMALL)["main"]
    wanted = small(32, 1e-3)
    assert wanted[-1] < wanted[0]
    policy = Policy(overrides={"encoder": "bf16-true", "net": "bf16-mixed"})
    half = small(32, 1e-3, policy)
    assert half == pytest.approx(wanted, rel=1e-2)
    assert half != wanted
    assert small(32, 1e-3, Policy.from_toml(plan["policy"])) == pytest.approx(wanted, rel=1e-2)


@pytest.mark.slow
def test_states_of_eight_bits_are_measured_beside_those_of_float32():
    pytest.importorskip("torchao")
    words = ["--seeds", "1", "--real-steps", "3", "--measure", "256 1e-3", SMALL, "512", "1e-3"]
    ran = subprocess.run(
        [sys.executable, "-m", "miscast", "plan", "--machine", "a100", "--format", "json", *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    (eight,) = [one for one in json.loads(ran.stdout)["plan"]["points"] if one["states"] == "torchao"]
    assert not eight["out"]
    assert 1e-4 < eight["error"] < 1
