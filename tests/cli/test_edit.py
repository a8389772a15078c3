"""`--edit PATH`: a package that a trainer ships is the user's own code; its lines are named, and changed."""

from __future__ import annotations

import os

import pytest

from command import SOURCE, miscast_in

PACKAGE = """
import torch

def batch():
    return torch.ones(2, 4, device="cuda")

SCALE = torch.ones(4, dtype=torch.float16)
"""
PROGRAM = """
import torch
import loader

net = torch.nn.Linear(4, 4).cuda().half()
net(loader.batch())
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "packages" / "loader-1.dist-info").mkdir(parents=True)
    (tmp_path / "packages" / "loader.py").write_text(PACKAGE, encoding="utf-8")
    (tmp_path / "train.py").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(("options", "changed"), [([], "train.py"), (["--edit", "packages"], "packages/loader.py")])
def test_whose_lines_are_changed(folder, options, changed):
    done = miscast_in(folder, "fix", *options, "train.py", PYTHONPATH=_path(folder))
    assert f"--- a/{changed}\n" in done.stdout, done.stdout + done.stderr


def test_whose_lines_are_named(folder):
    done = miscast_in(folder, "check", "--edit", "packages", "train.py", PYTHONPATH=_path(folder))
    assert "created at packages/loader.py:5" in done.stdout, done.stdout + done.stderr


def _path(folder):
    return os.pathsep.join([SOURCE, str(folder / "packages")])
