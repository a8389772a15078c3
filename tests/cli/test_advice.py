"""What `check` says to do about a finding was tried before it is told."""

from __future__ import annotations

import json

import pytest

from command import miscast_in

MIXED = """\
import torch
from torch import nn

net = nn.Conv2d(5, 8, 3).cuda().half()
latent = torch.randn(2, 4, 8, 8, device="cuda", dtype=torch.float16)
mask = torch.ones(2, 1, 8, 8, device="cuda")
net(torch.cat([latent, mask], 1))
"""


@pytest.fixture
def program(tmp_path):
    (tmp_path / "train.py").write_text(MIXED, encoding="utf-8")
    return tmp_path


def test_a_proven_fix_comes_first_with_its_edits(program):
    done = miscast_in(program, "check", "--fixes", "60", "--format", "json", "train.py")
    assert done.returncode == 1, done.stderr
    (finding,) = json.loads(done.stdout)["findings"]
    first, *others = finding["fixes"]
    assert (first["verified"], first["safe"]) == (True, True)
    (edit,) = first["edits"]
    assert (edit["file"].rpartition("/")[2], edit["start_line"], edit["end_line"]) == ("train.py", 6, 6)
    assert edit["replacement"] == 'mask = torch.ones(2, 1, 8, 8, device="cuda", dtype=latent.dtype)'
    assert not any(other["verified"] for other in others)
    assert (program / "train.py").read_text() == MIXED


@pytest.mark.parametrize("options", [["--fixes", "0"], ["--fixes", "60", "--writes", "real"]])
def test_nothing_is_tried(program, options):
    done = miscast_in(program, "check", *options, "--format", "json", "train.py")
    (finding,) = json.loads(done.stdout)["findings"]
    assert not any(fix["verified"] for fix in finding["fixes"])


def test_what_a_launcher_starts_is_mended_too(program):
    words = ["python", "-m", "torch.distributed.run", "--nproc-per-node=1", "train.py"]
    done = miscast_in(program, "fix", *words)
    assert '+mask = torch.ones(2, 1, 8, 8, device="cuda", dtype=latent.dtype)' in done.stdout, done.stderr


RANKS = """\
import os

import torch
import torch.distributed as dist

dist.init_process_group("nccl")
rank = int(os.environ["LOCAL_RANK"])
torch.cuda.set_device(rank)
total = torch.zeros(1, device="cuda", dtype=torch.float16 if rank else torch.float32)
dist.all_reduce(total)
"""


def test_ranks_that_do_not_fit_are_mended_by_the_wider_dtype(tmp_path):
    (tmp_path / "train.py").write_text(RANKS, encoding="utf-8")
    asked = ["--ranks", "2", "--machine", "2xa100", "--fixes", "60", "--format", "json"]
    done = miscast_in(tmp_path, "check", *asked, "train.py")
    assert done.returncode == 1, done.stderr
    (finding,) = json.loads(done.stdout)["findings"]
    first = finding["fixes"][0]
    assert (first["verified"], first["safe"]) == (True, True)
    assert first["edits"][0]["replacement"] == 'total = torch.zeros(1, device="cuda", dtype=torch.float32)'
