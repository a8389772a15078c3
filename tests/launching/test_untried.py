"""Choices of precision and devices that a program offers, and no run took, are told; others are not."""

from __future__ import annotations

import ast

import pytest

from miscast.running.launching.options import options, read
from miscast.running.launching.untried import untried

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


HYDRA = """
import hydra


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg): ...
"""
CONFIG = """
defaults:
  - precision: bf16
  - data: pictures
  - _self_
trainer:
  amp: false
  shuffle: true
  nested: {cpu_offload: true}
"""


@pytest.mark.parametrize(
    ("runs", "left"),
    [
        ([[]], ("precision=fp16", "trainer.amp=true", "trainer.nested.cpu_offload=false")),
        ([["precision=fp16"]], ("precision=bf16", "trainer.amp=true", "trainer.nested.cpu_offload=false")),
        ([[], ["+trainer.amp=true"]], ("precision=fp16", "trainer.nested.cpu_offload=false")),
    ],
)
def test_of_hydra(runs, left, tmp_path):
    for path, text in {
        "train.py": HYDRA, "conf/config.yaml": CONFIG, "conf/precision/fp16.yaml": "dtype: float16",
        "conf/precision/bf16.yaml": "dtype: bfloat16", "conf/data/pictures.yaml": "", "conf/data/texts.yaml": "",
    }.items():  # fmt: skip
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    assert untried(options(str(tmp_path / "train.py")), runs) == left


@pytest.mark.parametrize("config", ["a: [", "a: &a [*a]", "- 1", "", "a: \x00"])
def test_a_configuration_that_says_nothing_offers_nothing(config, tmp_path):
    (tmp_path / "conf").mkdir()
    (tmp_path / "train.py").write_text(HYDRA, encoding="utf-8")
    (tmp_path / "conf" / "config.yaml").write_text(config, encoding="utf-8")
    assert options(str(tmp_path / "train.py")) == ()
