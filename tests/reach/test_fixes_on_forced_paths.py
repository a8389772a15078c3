"""A change is tried where the run was made to go, too: it mends what is found there, and keeps what went well."""

from __future__ import annotations

import textwrap
from dataclasses import replace

import pytest

from command import miscast_in
from miscast.core.event import EACH_KIND, Block
from miscast.fixing.fixes.verdict import Lines, seen
from miscast.fixing.trials.outcome import Outcome
from miscast.report import Report

PROGRAM = """
    import torch

    every = 50
    model = torch.nn.Linear(4, 4).cuda().half()

    def sample():
        noise = torch.ones(2, 4, device="cuda")
        return model(noise)

    for step in range(1, 3):
        model(torch.ones(2, 4, device="cuda", dtype=torch.float16))
        if step % every == 0:
            sample()
"""
WAY = Block(file="train.py", first=14, last=14, line=13, condition="step % every == 0", kind="counter", forced=True)


def test_a_fix_is_proven_on_the_forced_path(tmp_path):
    script = tmp_path / "train.py"
    script.write_text(textwrap.dedent(PROGRAM))
    done = miscast_in(tmp_path, "fix", "--machine", "v100", "--reach", "2", "--apply", script.name)
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'device="cuda", dtype=torch.float16)\n    return model(noise)' in script.read_text()


@pytest.mark.parametrize(
    ("after", "fault"),
    [
        ((WAY,), ""),
        ((), "the branch explored at line 13 would end with nothing"),
        (
            (replace(WAY, ended="time limit reached"),),
            "the branch explored at line 13 would end with time limit reached",
        ),
    ],
)
def test_a_change_is_no_fix_if_the_path_does_not_come_to_its_end_any_more(after, fault):
    before = Report(machine="v100", torch="", findings=(), reach=(WAY,))
    report = replace(before, reach=after)
    assert seen(before, Outcome(report=report), Lines([])).fault == fault


def test_samples_may_become_alike():
    before = Report(machine="v100", torch="", findings=(), reach=(replace(WAY, condition=EACH_KIND),))
    assert seen(before, Outcome(report=replace(before, reach=())), Lines([])).fault == ""
