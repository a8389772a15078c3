"""The first advice works: written into the program as it is told, the program goes on."""

from __future__ import annotations

import re

import pytest
from running import explanations, python

pytest.importorskip("torch")

PROGRAMS = {
    "labels": ("torch.int64", """\
labels = torch.from_numpy(np.array([0, 1, 1], dtype=np.int32))
logits = torch.randn(3, 4)
F.cross_entropy(logits, labels)
"""),
    "floating labels": ("torch.int64", """\
labels = torch.tensor([0.0, 1.0, 1.0])
logits = torch.randn(3, 4)
F.cross_entropy(logits, labels)
"""),
    "doubles": ("torch.float32", """\
data = np.ones((3, 4))
x = torch.from_numpy(data)
torch.nn.Linear(4, 2)(x)
"""),
    "factory": ("torch.float16", """\
weight = torch.ones(4, 2, dtype=torch.float16)
x = torch.ones(3, 4)
torch.matmul(x, weight)
"""),
    "an index": ("torch.int64", """\
x = torch.randn(5, 3)
index = torch.tensor([0.0, 2.0])
x[index]
"""),
    "integer targets of a floating loss": ("torch.float32", """\
y = torch.randint(0, 2, (3, 1))
out = torch.nn.Linear(4, 1)(torch.randn(3, 4))
F.binary_cross_entropy_with_logits(out, y)
"""),
    "what a factory cannot make in integers": ("torch.float32", """\
total = torch.zeros(3, dtype=torch.int64)
loss = torch.rand(3)
total += loss
"""),
    "an integer factor": ("torch.float32", """\
w = torch.tensor([1, 2, 3])
x = torch.randn(3)
torch.dot(x, w)
"""),
    "what is written to": ("torch.float32", """\
out = torch.empty(3, dtype=torch.int64)
torch.mul(torch.rand(3), 2.0, out=out)
"""),
    "a cache": ("torch.float16", """\
cache = torch.zeros(6, 4, dtype=torch.float16)
k = torch.randn(2, 4)
cache[torch.tensor([0, 1])] = k
"""),
    "what is scattered": ("torch.float32", """\
out = torch.zeros(3, 4)
src = torch.ones(2, 2, dtype=torch.float16)
out.scatter_(1, torch.tensor([[0, 1], [1, 2]]), src)
"""),
}  # fmt: skip


@pytest.mark.parametrize(("dtype", "source"), PROGRAMS.values(), ids=PROGRAMS)
def test_the_first_advice_mends_the_program(dtype, source, tmp_path):
    source = f"import numpy as np\nimport torch\nimport torch.nn.functional as F\n{source}"
    program = tmp_path / "program.py"
    program.write_text(source, encoding="utf-8")
    [found] = explanations(tmp_path, "program.py")
    first = found["help"][0]
    assert dtype in first or ".long()" in first
    assert "fix tested on the virtual machine" in found["causes"][0]["evidence"]
    program.write_text(written(source, first), encoding="utf-8")
    assert python(tmp_path, "program.py").returncode == 0


def written(source, advice):
    """Return the program with an advice written as a reader would."""
    lines = source.splitlines()
    at = int(re.search(r"at program\.py:(\d+)", advice)[1]) - 1
    if cast := re.fullmatch(r"cast `(.+)` at \S+: (\S+)", advice):
        old, new = cast[1], cast[1] + cast[2]
    elif given := re.fullmatch(r"pass (\S+) to `(.+)` at \S+", advice):
        old, new = re.search(rf"{re.escape(given[2])}\(.*\)", lines[at])[0], given[1]
        new = f"{old[:-1]}, {new})"
    else:
        old, new = re.fullmatch(r"replace `(.+)` with `(.+)` at \S+", advice).groups()
    assert old in lines[at]
    lines[at] = re.sub(rf"(?<!\w){re.escape(old)}", lambda _: new, lines[at], count=1)
    return "\n".join(lines)


def test_complex_numbers_are_not_advised_to_lose_their_imaginary_part(tmp_path):
    source = "import torch\nx = torch.fft.fft(torch.randn(3, 4))\nmodel = torch.nn.Linear(4, 2)\nmodel(x)\n"
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    [found] = explanations(tmp_path, "program.py")
    assert found["help"][0] == "cast `torch.nn.Linear(4, 2)` at program.py:3: .to(torch.complex64)"


def test_what_an_op_makes_of_any_integers_is_cast_and_not_its_operand(tmp_path):
    source = (
        "import torch\nids = torch.tensor([1, 2])\nx = torch.nn.functional.one_hot(ids, 4)\n"
        "torch.nn.Linear(4, 2)(x)\n"
    )
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    [found] = explanations(tmp_path, "program.py")
    assert found["help"][:2] == [
        "cast `x` at program.py:4: .to(torch.float32)",
        "cast `torch.nn.functional.one_hot(ids, 4)` at program.py:3: .to(torch.float32)",
    ]


def test_a_change_that_the_machine_refuses_is_not_advised(tmp_path):
    """Both states are doubles: one of them alone in float32 mends nothing."""
    source = (
        "import torch\nlstm = torch.nn.LSTM(4, 8)\nx = torch.randn(5, 2, 4)\n"
        "h = torch.zeros(1, 2, 8, dtype=torch.float64)\nc = torch.zeros(1, 2, 8, dtype=torch.float64)\n"
        "lstm(x, (h, c))\n"
    )
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    [found] = explanations(tmp_path, "program.py")
    assert not any("program.py:4" in one or "program.py:5" in one for one in found["help"][:1])


def test_what_cannot_be_repeated_is_told_without_a_trial(tmp_path):
    source = (
        "import torch\nclass Op(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, x, w):\n"
        "        return torch.mm(*(x, w))\nOp.apply(torch.ones(2, 2), torch.ones(2, 2).half())\n"
    )
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    [found] = explanations(tmp_path, "program.py")
    assert not any("fix tested on the virtual machine" in one["evidence"] for one in found["causes"])
