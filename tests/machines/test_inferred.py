"""The machine of a program that was started without one."""

from __future__ import annotations

import os

import pytest

from miscast.machines import find, inferred


@pytest.mark.parametrize(
    ("source", "machine"),
    [
        ("model.to('cuda' if torch.cuda.is_available() else 'mps')", "a100"),
        ("model.to('mps')", "m2"),
        ("import torch_npu\nmodel.to('npu')", "ascend910b"),
        ("model.to('xpu')", "max1550"),
        ("from transformers import Trainer", "a100"),
        ("lamps = xnpu = 1", "a100"),
    ],
)
def test_by_the_words_of_its_source(tmp_path, source, machine):
    (tmp_path / "train.py").write_text(source, encoding="utf-8")
    assert inferred(str(tmp_path / "train.py")) == machine
    assert find(machine).name == machine


def test_a_device_for_each_rank():
    assert inferred("-m package", 4) == "4xa100"
    assert inferred("-m package", 5000) == "a100"


def test_a_pipe_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert inferred(str(tmp_path / "pipe")) == "a100"


def test_what_is_not_there():
    assert inferred("nowhere.py") == "a100"
    assert inferred("") == "a100"
