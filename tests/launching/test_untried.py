"""Choices of precision and devices that a program offers, and no run took, are told; others are not."""

from __future__ import annotations

import ast

import pytest

from miscast.launching.options import read
from miscast.launching.untried import untried

SOURCE = """
parser.add_argument("--dtype", choices=["fp16", "bf16", "fp32"], default="fp16")
parser.add_argument("--offload", action="store_true")
parser.add_argument("--gradient-checkpointing", action="store_true")
parser.add_argument("--steps", type=int, default=10)
parser.add_argument("--optimizer", choices=["adamw", "sgd"], default="adamw")
parser.add_argument("--use_8bit_adam", action="store_true")
parser.add_argument("--amp", action=argparse.BooleanOptionalAction, default=True)
parser.add_argument("--device", choices=["cpu", "cuda"], default="cuda")
"""
ALL = ("--dtype bf16", "--dtype fp32", "--offload", "--use_8bit_adam", "--no-amp", "--device cpu")


@pytest.mark.parametrize(
    ("runs", "left"),
    [
        ([[]], ALL),
        ([["--dtype", "bf16"]], ("--dtype fp16", *ALL[1:])),
        ([["--dtype=bf16"], ["--offload", "--no-amp"]], ("--dtype fp32", "--use_8bit_adam", "--device cpu")),
        ([["--dtype", "bf16", "--dtype", "fp32"]], ("--dtype fp16", "--dtype bf16", *ALL[2:])),
    ],
)
def test_what_no_run_took(runs, left):
    assert untried(read(ast.parse(SOURCE)), runs) == left


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ('@click.option("--fp16/--no-fp16", default=False)\ndef main(fp16): ...', ("--fp16",)),
        ("@app.command()\ndef main(cpu_offload: bool = False, name: str = 'x'): ...", ("--cpu-offload",)),
        ('@click.option("--mode", type=click.Choice(["fast", "slow"]))\ndef main(mode): ...', ()),
    ],
)
def test_of_click_and_typer(source, left):
    assert untried(read(ast.parse(source)), [[]]) == left
