"""What a command runs, word by word."""

from __future__ import annotations

import sys

import pytest

from miscast.running.launching.command_line import (
    Program,
    entry,
    ranks_of,
    read,
    starts_others,
    typed,
)
from sweep import sweep


@pytest.mark.parametrize(
    ("command", "target", "args"),
    [
        ("python train.py --lr 1", "train.py", ("--lr", "1")),
        ("/usr/bin/python3.11 -u -W ignore -X dev train.py", "train.py", ()),
        (["python", "-m", "pkg.train", "-m"], "-m pkg.train", ("-m",)),
        ([sys.executable, "-um", "pkg"], "-m pkg", ()),
        (["python", "-Bu", "a b.py", "c d"], "a b.py", ("c d",)),
        (["/opt/bin/torchrun", "--nproc_per_node", "2", "t.py"], "torchrun", ("--nproc_per_node", "2", "t.py")),
    ],
)
def test_python_programs(command, target, args):
    assert read(command) == Program(target, args)


@sweep(
    "command",
    ["nvidia-smi -L", ["pip"], "python -uc 1", ["python", "-"], "python a.py > log", "python", [], "python -m"],
)
def test_others(command):
    assert read(command) is None


@pytest.mark.parametrize(
    ("words", "ranks"),
    [
        ("torchrun --nproc_per_node 4 train.py", 4),
        ("-m torch.distributed.run --nproc-per-node=2 train.py", 2),
        ("accelerate launch --num_processes 8 train.py", 8),
        ("torchrun --nproc_per_node gpu train.py --num_processes 3", 0),
        ("python train.py --num_processes 3", 0),
        ("train.py --nproc_per_node 4", 0),
        ("torchrun", 0),
    ],
)
def test_ranks_that_a_launcher_is_asked_for(words, ranks):
    target, *args = words.replace("-m ", "-m_").split()
    assert ranks_of(target.replace("-m_", "-m "), args) == ranks


def test_a_script_that_is_named_like_a_command_is_a_script(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert starts_others("torchrun")
    (tmp_path / "torchrun").write_text("print('mine')")
    assert not starts_others("torchrun")
    assert not starts_others("train.py")
    assert starts_others("-m torch.distributed.run")
    assert not starts_others("-m json.tool")


def test_what_is_no_command():
    assert entry("there-is-no-such-command") is None
    assert entry("./torchrun") is None
    assert entry("sh") is None
    assert typed("train.py", ["a"]) == Program("train.py", ("a",))
    assert typed("python", ["train.py", "a"]) == Program("train.py", ("a",))
    assert typed("python", ["-c", "1"]) == Program("python", ("-c", "1"))
