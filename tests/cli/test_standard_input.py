"""Standard input reaches the program, every rank of it, and every trial of a change."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from command import SOURCE

READS = """\
import torch

assert input() == "hello"
torch.nn.Linear(2, 2)(torch.zeros(1, 2).half())
"""


def _ran(folder, *words, how):
    (folder / "train.py").write_text(READS, encoding="utf-8")
    (folder / "lines.txt").write_text("hello\nagain\n", encoding="utf-8")
    command = [sys.executable, "-m", "miscast", *words, "train.py"]
    env = os.environ | {"PYTHONPATH": SOURCE}
    options = {"cwd": folder, "env": env, "capture_output": True, "text": True, "timeout": 180}
    if how == "pipe":
        return subprocess.run(command, check=False, input="hello\n", **options)
    with (folder / "lines.txt").open(encoding="utf-8") as lines:
        return subprocess.run(command, check=False, stdin=lines, **options)


@pytest.mark.parametrize("how", ["pipe", "file"])
@pytest.mark.parametrize("words", [["check", "--fixes", "0"], ["check", "--ranks", "2", "--machine", "2xv100"]])
def test_every_rank_reads_it(tmp_path, words, how):
    done = _ran(tmp_path, *words, how=how)
    assert done.returncode == 1, done.stderr
    assert "EOFError" not in done.stdout
    assert "1 error" in done.stdout


@pytest.mark.parametrize("how", ["pipe", "file"])
def test_every_trial_reads_it(tmp_path, how):
    done = _ran(tmp_path, "fix", how=how)
    assert "+torch.nn.Linear(2, 2)(torch.zeros(1, 2))\n" in done.stdout, done.stderr
