"""`miscast run --shadow`: the program as it is, and then what it lost."""

from __future__ import annotations

import json
import textwrap

import pytest

from command import miscast_in

STALLS = """
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 1).bfloat16()
nn.init.constant_(net.weight, 0.5)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)
for step in range(6):
    optimizer.zero_grad()
    loss = net(torch.randn(4, 8).bfloat16()).float().square().mean()
    loss.backward()
    optimizer.step()
print("loss", loss.item())
"""


@pytest.fixture
def program(tmp_path):
    file = tmp_path / "train.py"
    file.write_text(STALLS)
    return file


def test_the_program_prints_what_it_does_alone_and_the_report_follows(program):
    alone = miscast_in(program.parent, "run", "train.py")
    ran = miscast_in(program.parent, "run", "--shadow", "train.py")
    assert ran.returncode == 0
    assert ran.stdout == alone.stdout != ""
    assert "warning[half-parameters-without-master]  a weight in bfloat16 loses its updates" in ran.stderr
    assert "train.py:6 " in ran.stderr
    assert "compared with float64, 6 steps; the loss at train.py:12 is" in " ".join(ran.stderr.split())
    assert alone.stderr == ""


def test_json_has_findings_and_the_ranking(program):
    ran = miscast_in(program.parent, "run", "--shadow", "--format", "json", "--output", "told.json", "train.py")
    told = json.loads((program.parent / "told.json").read_text())
    assert ran.stderr == ""
    (found,) = told["findings"]
    assert (found["rule"], found["location"]["line"]) == ("half-parameters-without-master", 6)
    shadow = told["shadow"]
    assert shadow["steps"] == 6
    assert shadow["loss"]["exact"] == pytest.approx(shadow["loss"]["value"], rel=0.05)
    assert shadow["loss"]["exact"] != shadow["loss"]["value"]
    assert shadow["added"][0]["share"] >= shadow["added"][-1]["share"] > 0
    assert sum(one["share"] for one in shadow["added"]) == pytest.approx(1, abs=0.01)
    assert [one["module"] for one in shadow["outputs"]] == ["net"]


def test_after_so_many_steps_nothing_is_looked_at(program):
    def ops(*options):
        miscast_in(program.parent, "run", "--shadow", *options, "--format", "json", "--output", "told.json", "train.py")
        told = json.loads((program.parent / "told.json").read_text())
        return told["ops"]

    assert ops("--steps", 2) < ops() / 2


def test_only_the_modules_that_are_asked_for(program):
    ran = miscast_in(program.parent, "run", "--shadow", "--modules", "other*", "--format", "json", "train.py")
    told = json.loads(ran.stderr)
    assert told["shadow"]["outputs"] == []


def test_an_error_is_the_programs_own_and_what_was_seen_is_told(tmp_path):
    (tmp_path / "dies.py").write_text(textwrap.dedent("""
        import torch
        total = torch.full((100,), 60000.0).half().sum()
        raise KeyError("gone")
    """))
    ran = miscast_in(tmp_path, "run", "--shadow", "dies.py")
    assert ran.returncode == 1
    assert "KeyError: 'gone'" in ran.stderr
    assert "warning[number-overflows]  `sum` overflows float16" in ran.stderr
    assert "dies.py:3" in ran.stderr


def test_the_exit_code_is_the_programs(tmp_path):
    (tmp_path / "leaves.py").write_text("import sys, torch\ntorch.ones(2)\nsys.exit(7)\n")
    assert miscast_in(tmp_path, "run", "--shadow", "leaves.py").returncode == 7


def test_a_program_without_torch_is_left_alone(tmp_path):
    (tmp_path / "plain.py").write_text("import sys\nprint('torch' in sys.modules)\n")
    ran = miscast_in(tmp_path, "run", "--shadow", "plain.py")
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "False\n", "")


def test_torch_finds_the_environment_that_the_program_made(tmp_path):
    (tmp_path / "env.py").write_text(
        "import os\nos.environ['OMP_NUM_THREADS'] = '1'\nimport torch\nprint(torch.get_num_threads())\n"
    )
    assert miscast_in(tmp_path, "run", "--shadow", "env.py", OMP_NUM_THREADS="2").stdout == "1\n"


def test_each_rule_has_a_page():
    ran = miscast_in(None, "rules", "update-absorbed")
    assert ran.returncode == 0
    assert "## Use instead" in ran.stdout


@pytest.mark.parametrize("option", ["--output", "--html"])
def test_a_full_disk_costs_the_report_and_not_the_exit_code(tmp_path, option):
    (tmp_path / "leaves.py").write_text("import sys, torch\nprint(torch.ones(2).half().sum())\nsys.exit(7)\n")
    ran = miscast_in(tmp_path, "run", "--shadow", option, "/dev/full", "leaves.py")
    assert ran.returncode == 7
    assert ran.stdout == "tensor(2., dtype=torch.float16)\n"
    assert "miscast: cannot write the " in ran.stderr
    assert "to /dev/full: No space left on device" in ran.stderr
    assert "Traceback" not in ran.stderr
