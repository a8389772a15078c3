"""The machine of a program that was started without one."""

from __future__ import annotations

import os

import pytest

from miscast.core.machines import UnknownMachineError, chosen, find, known
from miscast.core.machines.inferred import inferred
from miscast.core.machines.own import FOLDERS, own


@pytest.mark.parametrize(
    ("source", "machine"),
    [
        ("model.to('cuda' if torch.cuda.is_available() else 'mps')", "a100"),
        ("model.to('mps')", "m2"),
        ("import torch_npu\nmodel.to('npu')", "ascend910b"),
        ("model.to('xpu')", "max1550"),
        ("from transformers import Trainer", "a100"),
        ("lamps = xnpu = 1", "a100"),
        ("Sharded(['cuda:0', \"cuda:1\"])", "2xa100"),
        ("torch.device('cuda', 3)", "4xa100"),
        ("model.to('npu:1')", "2xascend910b"),
        ("model.to('mps:1')", "m2"),
        ("device = 'cuda'  # or 'cuda:1', 'cpu'", "a100"),
        ("parser.add_argument('--device', help='such as cuda:1')", "a100"),
    ],
)
def test_by_the_words_of_its_source(tmp_path, source, machine):
    (tmp_path / "train.py").write_text(source, encoding="utf-8")
    assert inferred(str(tmp_path / "train.py")) == machine
    assert find(machine).spec == machine


@pytest.fixture
def computer(tmp_path, monkeypatch):
    """A computer with GPUs of these models, and of these versions of AMD's."""

    def has(*models: str, amd: tuple[int, ...] = ()) -> None:
        for number, model in enumerate(models):
            (tmp_path / f"nvidia/{number}").mkdir(parents=True)
            text = f"Model: \t\t {model}\nIRQ:   \t\t 35\n"
            (tmp_path / f"nvidia/{number}/information").write_text(text, encoding="utf-8")
        for number, version in enumerate(amd):
            (tmp_path / f"amd/{number}").mkdir(parents=True)
            text = f"simd_count 304\ngfx_target_version {version}\n"
            (tmp_path / f"amd/{number}/properties").write_text(text, encoding="utf-8")
        monkeypatch.setenv(FOLDERS, f"{tmp_path}/nvidia:{tmp_path}/amd")

    return has


@pytest.mark.parametrize(
    ("models", "amd", "machine"),
    [
        (("NVIDIA H200",), (), "h200"),
        (("NVIDIA A100-SXM4-80GB",) * 8, (), "8xa100-80"),
        (("NVIDIA A100 80GB PCIe",), (), "a100-80"),
        (("Tesla V100-PCIE-32GB",), (), "v100-32"),
        (("NVIDIA H100 80GB HBM3", "NVIDIA T400", "NVIDIA H100 80GB HBM3"), (), "2xh100"),
        (("NVIDIA GeForce RTX 3090",), (), "rtx3090"),
        (("NVIDIA GeForce RTX 3060 Ti",), (), ""),
        (("NVIDIA GeForce RTX 4090 Laptop GPU",), (), ""),
        (("NVIDIA A10G",), (), ""),
        ((), (0, 90402, 90402), "2xmi300x"),
        ((), (90010,), "mi250x"),
        ((), (0,), ""),
    ],
)
def test_the_gpus_of_this_computer(computer, models, amd, machine):
    computer(*models, amd=amd)
    assert own(known()) == machine


def test_what_is_named_then_the_project_then_this_computer_then_what_is_usual(computer):
    assert chosen("t4", "v100").spec == "t4"
    assert (chosen("t4").reason, chosen(None, "v100").reason) == ("", "from pyproject.toml")
    assert chosen(None, "v100").spec == "v100"
    assert (chosen(None).spec, chosen(None).reason) == ("a100", "no --machine given")
    computer("NVIDIA H200")
    here = chosen(None, option="machine=")
    assert (here.spec, here.reason) == ("h200", "no machine= given: this computer's GPU")
    assert chosen(None, "v100").spec == "v100"
    for unusable in ({"named": "tpu-v5e"}, {"named": None, "project": "tpu-v5e"}):
        with pytest.raises(UnknownMachineError):
            chosen(**unusable)


def test_a_device_for_each_rank(computer):
    assert chosen(None, target="-m package", ranks=4).spec == "4xa100"
    assert chosen(None, ranks=5000).spec == "a100"
    computer(*["NVIDIA H200"] * 4)
    assert [chosen(None, ranks=ranks).spec for ranks in (0, 2, 8)] == ["4xh200", "4xh200", "8xh200"]


def test_one_rank_of_a_program_without_cuda(tmp_path):
    (tmp_path / "train.py").write_text("model.to('mps')", encoding="utf-8")
    assert chosen(None, target=str(tmp_path / "train.py"), ranks=4).spec == "m2"


def test_a_pipe_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert inferred(str(tmp_path / "pipe")) == "a100"


def test_what_is_not_there():
    assert inferred("nowhere.py") == "a100"
    assert inferred("") == "a100"
