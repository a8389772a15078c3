"""Where `torch._dynamo` cannot be imported, the machine does without: what needs it for real is named, no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import miscast_in

PROGRAM = """\
import torch
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()).cuda()
optimizer = torch.optim.AdamW(net.parameters())
with torch.autocast("cuda", dtype=torch.bfloat16):
    net(torch.randn(2, 4, device="cuda")).sum().backward()
optimizer.step()
net.half()(torch.randn(2, 4, device="cuda"))
"""


def report(folder: Path, source: str) -> dict[str, object]:
    """What a check says of a program with these lines."""
    (folder / "train.py").write_text(source)
    done = miscast_in(folder, "check", "--machine=a100", "--format=json", "train.py", cold=True)
    told: dict[str, object] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("text", [None, "raise RuntimeError('no driver')"])
def test_a_folder_or_file_of_the_users_named_triton(tmp_path: Path, text: str | None) -> None:
    (tmp_path / "triton").mkdir()
    if text is not None:
        (tmp_path / "triton" / "__init__.py").write_text(text)
    told = report(tmp_path, PROGRAM)
    assert [finding["location"]["line"] for finding in told["findings"]] == [7]
    assert told["ended"] is None
    assert "torch._dynamo cannot be imported" in str(told["notes"])


def test_what_needs_it_raises_as_for_real(tmp_path: Path) -> None:
    (tmp_path / "triton").mkdir()
    told = report(tmp_path, "import torch\ntorch._dynamo.config.cache_size_limit = 8\n")
    assert "AttributeError: module 'triton' has no attribute 'language' at train.py:2" in str(told["ended"])


def test_a_file_of_the_users_named_sympy_where_fixes_are_tried(tmp_path: Path) -> None:
    (tmp_path / "sympy.py").write_text("raise ValueError('mine')\n")
    (tmp_path / "train.py").write_text("import torch\nnet = torch.nn.Linear(4, 4)\nnet(torch.ones(2, 4).half())\n")
    done = miscast_in(tmp_path, "check", "--machine=cpu", "--fixes", "9", "--format=json", "train.py", cold=True)
    assert [finding["location"]["line"] for finding in json.loads(done.stdout)["findings"]] == [3]
