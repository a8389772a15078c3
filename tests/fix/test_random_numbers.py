"""Numbers that are others in each run say nothing of a change."""

from __future__ import annotations

PROGRAM = """\
import os
import torch
from torch import nn

net = nn.Linear(4, 4).cuda().half()
x = torch.frombuffer(bytearray(os.urandom(4)), dtype=torch.uint8).to(torch.float32).cuda()
net(x[None] * 100)
"""


TWO = """\
import torch
from torch import nn

net = nn.Linear(4, 4).cuda().half()
net(torch.tensor([[0.1, 0.2, 0.3, 0.4]], device="cuda"))
net(torch.tensor([[0.5, 0.2, 0.3, 0.4]], device="cuda"))
"""


def test_what_is_random_is_mended(fix):
    mending = fix(PROGRAM, "v100")
    assert (mending.after.findings, mending.unfixed) == ((), ())


def test_one_more_run_of_the_program_as_it_is_tells_of_all_findings(fix, worker, monkeypatch):
    asked, run = [], worker.run
    monkeypatch.setattr(worker, "run", lambda trial: asked.append(trial) or run(trial))
    mending = fix(TWO, "v100")
    assert (len(mending.before.findings), mending.after.findings) == (2, ())
    assert [trial.files for trial in asked].count({}) == 1
