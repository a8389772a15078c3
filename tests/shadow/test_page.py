"""The page of a shadow: one file that needs nothing else, in which nothing that a program names is markup."""

from __future__ import annotations

import re

import pytest

from command import miscast_in
from miscast.core.event import Location
from miscast.numbers.values import look
from miscast.numbers.values.section import LossValue
from miscast.report.html import render
from pages import page
from shadowed import plain

TRAINING = """
import torch
from torch import nn

torch.manual_seed(0)
names = {"<b>x</b>": nn.LayerNorm(8), "head": nn.Linear(8, 4)}
net = nn.Sequential()
for name, part in names.items():
    net.add_module(name, part)
net.bfloat16()
optimizer = torch.optim.SGD(net.parameters(), lr=1e-5)
for _ in range(3):
    loss = net(torch.randn(16, 8).bfloat16()).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def read(text):
    return page(text).words


def told(against=""):
    looks = look(against)
    with looks.on():
        plain(TRAINING)
    return looks.report()


@pytest.mark.parametrize(("value", "off"), [(2.0, ", 100% off"), (float("nan"), ""), (float("inf"), "")])
def test_a_loss_that_is_no_number_is_not_so_far_off(value, off):
    at = Location(file="t.py", line=3)
    loss = LossValue(value=value, exact=1.0, dtype="float16", location=at, step=1, scale=1.0)
    assert loss.told == f"{value:.6g} (exact: 1{off})"


def test_findings_lines_and_modules():
    words = read(render(told()))
    assert "half-parameters-without-master" in words
    assert "a weight in bfloat16 loses its updates" in words
    assert "net.bfloat16()" in words
    assert "Error added by line" in words
    assert "Outputs of modules" in words
    assert "net.<b>x</b>" in words


def test_two_losses_and_the_ways_of_weights():
    text = render(told("fp32"))
    words = read(text)
    assert text.count("<polyline") == 2
    assert "the program in float32" in words
    assert "Where they diverge first at all" in words
    assert re.search(r"100% net\.<b>x</b>\.weight bfloat16 · moved 0, in float32 \d", words)


def test_a_program_that_loses_nothing_has_a_page_too():
    for against in ("", "fp32"):
        looks = look(against)
        with looks.on():
            plain("import torch\nx = torch.ones(3)\n")
        assert read(render(looks.report()))


@pytest.mark.parametrize("options", [(), ("--against", "bf16")])
def test_the_command_writes_it_beside_the_report(tmp_path, options):
    (tmp_path / "train.py").write_text(TRAINING.replace("net.bfloat16()", "net.float()").replace(".bfloat16()", ""))
    ran = miscast_in(tmp_path, "run", "--shadow", *options, "--html", "page.html", "train.py")
    assert ran.returncode == 0
    assert "  shadow " in ran.stderr or "  against " in ran.stderr
    assert read((tmp_path / "page.html").read_text())


def test_a_page_that_cannot_be_written_is_refused_before_the_program_runs(tmp_path):
    (tmp_path / "train.py").write_text("print('ran')\n")
    ran = miscast_in(tmp_path, "run", "--shadow", "--html", "gone/page.html", "train.py")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "cannot write the page to gone/page.html" in ran.stderr
