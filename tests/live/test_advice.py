"""The first advice works: written into the program as it is told, the program goes on."""

from __future__ import annotations

import re

import pytest
from running import explanations, python

pytest.importorskip("torch")

LABELS = """\
import numpy as np
import torch
import torch.nn.functional as F
labels = torch.from_numpy(np.array([0, 1, 1], dtype=np.int32))
logits = torch.randn(3, 4)
F.cross_entropy(logits, labels)
"""
DOUBLES = """\
import numpy as np
import torch
data = np.ones((3, 4))
x = torch.from_numpy(data)
torch.nn.Linear(4, 2)(x)
"""
FACTORY = """\
import torch
weight = torch.ones(4, 2, dtype=torch.float16)
x = torch.ones(3, 4)
torch.matmul(x, weight)
"""


@pytest.mark.parametrize(
    ("source", "dtype"),
    [(LABELS, "torch.int64"), (DOUBLES, "torch.float32"), (FACTORY, "torch.float16")],
    ids=["labels", "doubles", "factory"],
)
def test_the_first_advice_mends_the_program(source, dtype, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(source, encoding="utf-8")
    [found] = explanations(tmp_path, "program.py")
    told = re.fullmatch(r".* at program\.py:(\d+): (.*)", found["help"][0])
    assert told, found["help"]
    assert dtype in told[2]
    lines = source.splitlines()
    at = int(told[1]) - 1
    name = lines[at].partition(" = ")[0]
    lines[at] = f"{name} = {told[2]}"
    program.write_text("\n".join(lines), encoding="utf-8")
    assert python(tmp_path, "program.py").returncode == 0
