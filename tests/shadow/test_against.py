"""`--against`: the twin is what the program computes in another precision, and where the two part is told."""

from __future__ import annotations

import json
import textwrap

import pytest
import torch

import miscast
from command import miscast_in
from miscast.numbers.values import record
from miscast.numbers.values.against import Against
from shadowed import plain

TRAINING = """
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 4)){half}
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
losses = []
for step in range(4):
    x, y = torch.randn(32, 8){half}, torch.randint(0, 4, (32,))
    loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()
    losses.append(loss.item())
"""

AUTOCAST = """
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(288, 4))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", enabled={scaled})
losses = []
for step in range(3):
    x, y = torch.randn(8, 3, 8, 8), torch.randint(0, 4, (8,))
    with torch.autocast("cpu", torch.bfloat16, enabled={half}):
        loss = nn.functional.cross_entropy(net(x), y)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    losses.append(loss.item())
"""

ATTENTION = """
import torch
from torch import nn

torch.manual_seed(0)
attention = nn.MultiheadAttention(16, 2, batch_first=True){half}
x = torch.randn(2, 6, 16){half}
out, _ = attention(x, x, x, need_weights=False)
losses = [out.square().mean()]
losses[0].backward()
losses = [losses[0].item()]
"""


def compared(source, precision, **options):
    looks = Against(precision, **options)
    with looks.on():
        variables = plain(source)
    assert not looks.shadow.failed
    return looks, variables


@pytest.mark.parametrize("source", [TRAINING, ATTENTION], ids=["training", "attention"])
def test_the_twin_of_a_half_program_is_the_program_in_float32_bit_for_bit(source):
    looks, half = compared(source.format(half=".bfloat16()"), "fp32")
    wide = plain(source.format(half=""))
    found = looks.parting()
    assert [one.value for one in found.losses] == half["losses"]
    assert [one.exact for one in found.losses] == wide["losses"]
    assert half["losses"] != wide["losses"]


def test_so_are_its_weights_and_gradients():
    _, half = compared(TRAINING.format(half=".bfloat16()"), "fp32")
    wide = plain(TRAINING.format(half=""))
    for one, other in zip(half["net"].parameters(), wide["net"].parameters(), strict=True):
        kept = record.find(one)
        assert torch.equal(kept.wide.reshape(one.shape), other)
        assert torch.equal(record.find(one.grad).wide.reshape(one.shape), other.grad)


def test_the_twin_of_a_float32_program_is_the_program_in_bfloat16():
    looks, wide = compared(TRAINING.format(half=""), "bf16")
    half = plain(TRAINING.format(half=".bfloat16()"))
    found = looks.parting()
    assert [one.value for one in found.losses] == wide["losses"]
    assert [one.exact for one in found.losses] == half["losses"]


@pytest.mark.parametrize("scaled", [False, True])
def test_autocast_and_a_scaler_are_followed_and_the_loss_is_told_unscaled(scaled):
    looks, half = compared(AUTOCAST.format(half=True, scaled=scaled), "float32")
    wide = plain(AUTOCAST.format(half=False, scaled=scaled))
    found = looks.parting()
    assert [one.value for one in found.losses] == half["losses"]
    assert [one.exact for one in found.losses] == pytest.approx(wide["losses"], rel=1e-6)
    assert [one.step for one in found.losses] == [1, 2, 3]


def test_a_program_that_computes_the_same_parts_nowhere():
    looks, _ = compared(TRAINING.format(half=""), "fp32")
    found = looks.parting()
    assert not found.parted
    assert not found.weights
    assert not found.decisions
    assert all(one.worst == 0 for one in found.outputs)
    assert all(one.value == one.exact for one in found.losses)


def test_where_they_part_first_and_by_how_much():
    looks, _ = compared(
        """
        import torch
        positions = torch.arange(1100, 1110)
        angle = positions.bfloat16() * 1.0
        wave = angle.sin()
        """,
        "fp32",
    )
    parted = looks.parting().parted
    assert [(level, one.op, one.location.line) for level, one in parted.items()] == [
        (0.0, "to", 4), (0.01, "sin", 5), (0.1, "sin", 5), (1.0, "sin", 5),
    ][: len(parted)]  # fmt: skip
    assert len(parted) >= 3


def test_what_is_finite_in_one_only():
    looks, _ = compared("import torch\nx = torch.full((3,), 300.0)\ny = x * x\n", "fp16")
    found = looks.parting().parted[float("inf")]
    assert (found.op, found.location.line) == ("mul", 3)


def test_decisions_are_the_programs_and_those_that_would_differ_are_counted():
    looks, variables = compared(
        """
        import torch
        scores = torch.tensor([[1.001, 1.0], [2.0, 1.0], [1.0, 1.001]]).bfloat16()
        best = scores.argmax(-1)
        top = scores.topk(1).indices
        """,
        "fp32",
    )
    assert variables["best"].tolist() == [0, 0, 0]
    told = [(one.op, one.location.line, one.otherwise, one.of) for one in looks.parting().decisions]
    assert told == [("argmax", 4, 1, 3), ("topk", 5, 1, 3)]


def test_weights_that_stand_still_beside_a_twin_that_moves():
    looks, _ = compared(
        """
        import torch
        from torch import nn
        norm = nn.LayerNorm(8).bfloat16()
        optimizer = torch.optim.SGD(norm.parameters(), lr=1e-5)
        for _ in range(3):
            norm(torch.arange(32.0).reshape(4, 8).bfloat16()).square().sum().backward()
            optimizer.step()
            optimizer.zero_grad()
        """,
        "fp32",
    )
    way = next(one for one in looks.parting().weights if one.name == "norm.weight")
    assert (way.went, way.dtype) == (0, "bfloat16")
    assert way.beside > 0
    assert way.apart == pytest.approx(1)


def test_an_unknown_precision_is_refused():
    with pytest.raises(ValueError, match="not a precision to compare with: use fp64, fp32, bf16 or fp16"):
        Against("int8")


def test_from_python():
    def program():
        return (torch.ones(4) / 3).half().sum().item()

    report = miscast.shadow(program, against="fp32")
    assert report.result == program()
    (section,) = report.sections
    assert section.precision == "float32"
    assert section.parted[0.0].op == "to"


PROGRAM = textwrap.dedent(TRAINING.format(half=".bfloat16()")) + "print(losses[-1])\n"


def test_the_command_tells_it_as_text_and_json(tmp_path):
    (tmp_path / "train.py").write_text(PROGRAM)
    alone = miscast_in(tmp_path, "run", "train.py")
    ran = miscast_in(tmp_path, "run", "--shadow", "--against", "fp32", "train.py")
    assert (ran.returncode, ran.stdout) == (0, alone.stdout)
    words = " ".join(ran.stderr.split())
    assert "against float32: " in words
    assert "loss step 1 " in words
    assert ", in float32 1." in words
    assert "diverges at all train.py:6 to bfloat16" in words
    assert "outputs " in words
    assert "weights net." in words
    ran = miscast_in(tmp_path, "run", "--shadow", "--against", "fp32", "--format", "json", "train.py")
    told = json.loads(ran.stderr)
    assert told["findings"] == []
    found = told["against"]
    assert found["precision"] == "float32"
    assert [one["step"] for one in found["losses"]] == [1, 2, 3, 4]
    assert found["parted"][0]["by"] == 0
    assert found["parted"][0]["at"]["location"]["line"] == 6


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--against", "fp32"), "--against needs --shadow"),
        (("--steps", "3"), "--steps needs --shadow"),
        (("--modules", "a"), "--modules needs --shadow"),
        (("--memory", "1G"), "--memory needs --shadow"),
        (("--shadow", "--memory", "much"), "expected a size such as 512M or 4G, got 'much'"),
        (("--shadow", "--against", "int8"), "'int8' is not a precision to compare with: use fp64, fp32, bf16 or fp16"),
    ],
)
def test_what_has_no_meaning_is_refused_before_anything_runs(tmp_path, options, told):
    (tmp_path / "train.py").write_text("print('ran')\n")
    ran = miscast_in(tmp_path, "run", *options, "train.py")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert told in ran.stderr
