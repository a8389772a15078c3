"""Launchers as they are typed: the program runs as they would start it."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest

from command import miscast_in

TRAIN = """
import os, sys
import torch
import torch.distributed as dist

dist.init_process_group()
rank = dist.get_rank()
torch.cuda.set_device(rank)
assert sys.argv[1:][-1:] == ["--lr=1"], sys.argv
assert __name__ == "__main__"
x = torch.ones(4, device="cuda", dtype=torch.float16 if rank else torch.float32)
dist.all_reduce(x)
"""
SCALED = """
import os, sys
import torch
from accelerate import Accelerator

accelerator = Accelerator()
assert accelerator.mixed_precision == "fp16", accelerator.mixed_precision
assert sys.argv == ["train.py", "--lr", "1"], sys.argv
net = accelerator.prepare(torch.nn.Linear(4, 4))
with torch.autocast("cuda", enabled=False):
    net.weight @ torch.ones(4, device="cuda", dtype=torch.float16)
"""


def checked(folder, *words, expect=1):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = miscast_in(folder, "check", "--format", "json", *words, PATH=path)
    assert done.returncode == expect, done.stderr
    return json.loads(done.stdout) if expect < 2 else done.stderr


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "train.py").write_text(TRAIN, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ["torchrun", "--nproc-per-node", "2", "train.py", "--lr=1"],
        ["torchrun", "--nproc-per-node=gpu", "-m", "train", "--lr=1"],
        ["-m", "torch.distributed.launch", "--nproc_per_node=2", "train.py", "--lr=1"],
        ["python", "-u", "-m", "torch.distributed.run", "--nproc-per-node=2", "train.py", "--lr=1"],
    ],
    ids=lambda words: words[0] + words[1],
)
def test_torchrun(folder, words):
    report = checked(folder, "--machine", "2xa100", *words)
    (finding,) = report["findings"]
    assert finding["rule"] == "collective-dtype-mismatch"
    assert finding["location"]["line"] == 12


def test_of_several_nodes_one_runs(folder):
    options = ["--nnodes=4", "--node-rank=0", "--nproc-per-node=2", "--master-addr=10.0.0.1"]
    report = checked(folder, "--machine", "2xa100", "torchrun", *options, "train.py", "--lr=1")
    assert "only the ranks of one of 4 nodes ran" in report["notes"]


@pytest.mark.skipif(importlib.util.find_spec("accelerate") is None, reason="accelerate is not installed")
def test_accelerate(folder):
    (folder / "train.py").write_text(SCALED, encoding="utf-8")
    words = ["accelerate", "launch", "--mixed_precision", "fp16", "train.py", "--lr", "1"]
    report = checked(folder, "--machine", "a100", *words)
    (finding,) = report["findings"]
    assert finding["location"]["line"] == 11
    before = sorted(os.listdir(folder))
    assert before == ["train.py"]


def test_a_launcher_that_starts_a_process_for_each_rank(folder):
    (folder / "fleet.py").write_text(
        "import os, subprocess, sys\n"
        "for rank in range(2):\n"
        "    env = os.environ | {'RANK': str(rank), 'LOCAL_RANK': str(rank), 'WORLD_SIZE': '2'}\n"
        "    subprocess.Popen([sys.executable, 'train.py', f'--local_rank={rank}', '--lr=1'], env=env)\n",
        encoding="utf-8",
    )
    bin_ = folder / "bin"
    bin_.mkdir()
    (bin_ / "fleet").write_text(f"#!{sys.executable}\nimport runpy\nrunpy.run_path('fleet.py')\n", encoding="utf-8")
    (bin_ / "fleet").chmod(0o755)
    os.environ["PATH"], before = f"{bin_}{os.pathsep}{os.environ['PATH']}", os.environ["PATH"]
    try:
        report = checked(folder, "--machine", "2xa100", "fleet")
    finally:
        os.environ["PATH"] = before
    assert [finding["rule"] for finding in report["findings"]] == ["collective-dtype-mismatch"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--ranks", "2", "--machine", "2xa100", "torchrun", "train.py"], "torchrun starts its own ranks"),
        (["--machine", "a100", "torchrun", "nosuch.py"], "nosuch.py: no such file"),
        (["--machine", "a100", "torchrun", "--nproc-per-node=4", "train.py"], "--machine 4xa100"),
        (["no-such-command", "train.py"], "no-such-command: no such file"),
    ],
)
def test_what_cannot_be_run(folder, words, told):
    assert told in checked(folder, *words, expect=2)
