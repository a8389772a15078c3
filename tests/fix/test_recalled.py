"""Where a program was checked before, what mended its findings then is tried first, all at once."""

from __future__ import annotations

import importlib

import pytest

from miscast.fixing.trials.remembered import Remembered

PROGRAM = """\
import torch
from torch import nn

net = nn.Linear(4, 4).half().cuda()
head = nn.Linear(4, 2).half().cuda()
x = torch.randn(4, 4).cuda()
y = head(torch.randn(4, 4).cuda() * 0.5)
print(net(x), y)
"""


@pytest.fixture
def remembering(worker, tmp_path, monkeypatch):
    (tmp_path / "answers").mkdir()
    monkeypatch.setattr(worker, "_known", Remembered(str(tmp_path / "answers")))
    # in a long program no numbers are compared, and a trial costs the most
    monkeypatch.setattr(importlib.import_module("miscast.fixing.fixes.candidates"), "LONG", 0)


def _titles(mending):
    return [one.fix.title for one in mending.fixed]


@pytest.mark.usefixtures("remembering")
def test_a_program_that_has_changed_elsewhere_is_mended_in_one_run(fix):
    first = fix(PROGRAM)
    again = fix(f"{PROGRAM}print('done')\n")
    assert len(first.fixed) == 2
    assert _titles(again) == _titles(first)
    assert again.after.findings == ()
    assert first.trials > 2
    assert again.trials - first.trials == 2  # the program, and all at once; the worker counts on


@pytest.mark.usefixtures("remembering")
def test_what_no_longer_mends_it_is_searched_for_anew(fix):
    fix(PROGRAM)
    changed = PROGRAM.replace("print(net(x), y)", "print(net(x), y, nn.Linear(4, 4).cuda()(x))")
    again = fix(changed)
    assert again.after.findings == ()
    assert again.unfixed == ()
