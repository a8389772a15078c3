"""`torchrun … -m miscast run`: every rank dies as it would, and the ranks of a node tell of the same error once."""

from __future__ import annotations

import re

import pytest
from running import python

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not torch.distributed.is_available(), reason="this torch has no torch.distributed")

COLLECTIVE = """\
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
mine = torch.ones(2)
parts = [torch.zeros(2, dtype=torch.float16) for _ in range(2)]
dist.all_gather(parts, mine)
"""
APART = """\
import os, torch
a = torch.ones(2)
if os.environ["RANK"] == "0":
    torch.dot(a, a.half())
torch.dot(a, a.double())
"""
WELL = "import os, torch\nprint(os.environ['RANK'], torch.zeros(2).half().dtype)\n"


def torchrun(folder, source):
    (folder / "program.py").write_text(source, encoding="utf-8")
    launcher = ("-m", "torch.distributed.run", "--monitor-interval", "5", "--nproc-per-node", "2")
    return python(folder, *launcher, "-m", "miscast", "run", "program.py")


def test_a_collective_of_two_dtypes_is_told_once(tmp_path):
    ran = torchrun(tmp_path, COLLECTIVE)
    assert ran.returncode == 1
    assert ran.stderr.count("distributed-dtype  all_gather: ") == 1
    assert re.search(r"\nrank [01] of 2:\ndistributed-dtype", ran.stderr)
    again = re.search(r"miscast: rank ([01]) of 2 failed with the same error, which rank ([01]) of 2 has "
        r"already explained", ran.stderr)
    assert again is not None
    assert again[1] != again[2]
    assert "FutureWarning" not in ran.stderr
    assert "program.py:5" in ran.stderr


def test_each_error_is_told(tmp_path):
    ran = torchrun(tmp_path, APART)
    assert ran.returncode == 1
    assert ran.stderr.count("dot mixes float32 `a` with float16") == 1
    assert ran.stderr.count("dot mixes float32 `a` with float64") == 1


def test_what_ends_well_says_nothing(tmp_path):
    ran = torchrun(tmp_path, WELL)
    assert ran.returncode == 0
    assert sorted(ran.stdout.splitlines()) == ["0 torch.float16", "1 torch.float16"]
    assert "miscast" not in ran.stderr
