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


def test_what_is_random_is_mended(fix):
    mending = fix(PROGRAM, "v100")
    assert (mending.after.findings, mending.unfixed) == ((), ())
