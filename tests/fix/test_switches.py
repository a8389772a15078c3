"""A fix is proven for what was run, and for what the program's other precision switches run."""

from __future__ import annotations

import pytest

from miscast.mending.switches import others, told

ARGUMENTS = """
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--bf16", "-b", action="store_true")
parser.add_argument("--lr", default="1", choices=["1", "2"])
parser.add_argument("--weight_dtype", default="fp32", choices=["fp32", "fp16", "other"])
parser.add_argument("--mixed-precision", choices=("no", "bf16-mixed"))
parser.add_argument("path")
"""
GOVERNED = """\
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--bf16", action="store_true")
args = parser.parse_args()
dtype = torch.bfloat16 if args.bf16 else torch.float32
model = nn.Linear(4, 4).to("cuda", dtype)
image = torch.randn(2, 4, device="cuda")
image = image.to(torch.bfloat16)
model(image)
"""


def test_each_switch_is_set_otherwise():
    assert others(ARGUMENTS, ["p"]) == (
        ("p", "--bf16"),
        ("p", "--weight_dtype", "fp16"),
        ("p", "--mixed-precision", "no"),
        ("p", "--mixed-precision", "bf16-mixed"),
    )
    assert others(ARGUMENTS, ["p", "-b", "--weight_dtype=fp16", "--mixed-precision", "no"]) == (
        ("p", "-b", "--mixed-precision", "no", "--weight_dtype", "fp32"),
        ("p", "-b", "--weight_dtype=fp16", "--mixed-precision", "bf16-mixed"),
    )


@pytest.mark.parametrize("source", ["", "def (", "parser.add_argument('--verbose', action='store_true')"])
def test_nothing_to_set(source):
    assert others(source, []) == ()


def test_how_it_is_said():
    assert told(["p", "--bf16"]) == "--bf16"
    assert told(["p", "--weight_dtype", "fp16"]) == "--weight_dtype fp16"


def test_a_fix_holds_under_the_other_switch(fix):
    mending = fix(GOVERNED, "a100")
    (fixed,) = mending.fixed
    assert fixed.fix.edits[0].replacement == "image = image.to(dtype)"
    assert mending.switches == ("--bf16",)
