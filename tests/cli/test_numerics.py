"""`--numerics` with other arguments, with ranks, and with fixes that are proven by following the numbers again."""

from __future__ import annotations

import json
import textwrap

import pytest

from command import miscast_in
from miscast.cli import main

PROGRAM = """
    import os, sys
    import torch
    import torch.distributed as dist

    if "RANK" in os.environ:
        dist.init_process_group("gloo")
    total = torch.zeros((), dtype=torch.bfloat16 if "--half" in sys.argv else torch.float32)
    for _ in range(2000):
        total += 1
    if "RANK" in os.environ:
        dist.all_reduce(total)
"""


@pytest.fixture
def script(tmp_path):
    file = tmp_path / "sums.py"
    file.write_text(textwrap.dedent(PROGRAM))
    return file


def checked(script, *words):
    done = miscast_in(script.parent, "check", "--numerics", "--format", "json", "--machine", "cpu", *words)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def test_a_loss_has_a_fix_that_was_proven(script):
    found = checked(script, "--fixes", "60", script.name, "--half")["findings"]
    assert found[0]["rule"] == "sum-stalls"
    (proven,) = [fix["title"] for fix in found[0]["fixes"] if fix["verified"]]
    assert "dtype=torch.float32" in proven
    assert checked(script, script.name)["findings"] == []


def test_fix_writes_it(script):
    done = miscast_in(script.parent, "fix", "--numerics", "--machine", "cpu", "--apply", script.name, "--half")
    assert "1 fix written" in done.stdout, done.stdout + done.stderr
    assert "total = torch.zeros((), dtype=torch.float32)" in script.read_text()
    assert checked(script, script.name, "--half")["findings"] == []


def test_with_ranks_each_is_told(script):
    found = checked(script, "--ranks", "2", script.name, "--half")["findings"]
    assert (found[0]["rule"], found[0]["ranks"]) == ("sum-stalls", [0, 1])
    assert checked(script, "--ranks", "2", script.name)["findings"] == []


def test_with_other_arguments(script):
    report = checked(script, "--also", "--half", script.name)
    assert [one["arguments"] for one in report["findings"] if one["rule"] == "sum-stalls"] == [["--half"]]


@pytest.mark.parametrize("command", ["check", "fix", "matrix"])
def test_what_is_assumed_needs_somebody_who_goes_by_it(command, script, capsys):
    assert main([command, "--assume", "x=0:1", str(script)]) == 2
    assert "needs --numerics" in capsys.readouterr().err
    assert main([command, "--numerics", "--assume", "x=1:0", str(script)]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_hints_alone_are_no_failure(tmp_path):
    (tmp_path / "loss.py").write_text("import torch\nloss = torch.randn(4, 8, requires_grad=True).softmax(-1).log()\n")
    done = miscast_in(tmp_path, "check", "--numerics", "--machine", "cpu", "loss.py")
    assert (done.returncode, "hint[unstable-formula]" in done.stdout) == (0, True)
