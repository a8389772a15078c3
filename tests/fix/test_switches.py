"""A fix is proven for what was run, and for what the program's other precision switches run."""

from __future__ import annotations

from dataclasses import replace

import pytest

from miscast.core.syntax import parsed
from miscast.fixing.fixes import advice
from miscast.fixing.trials.job import Job
from miscast.fixing.trials.outcome import Outcome
from miscast.running.launching.options import read
from miscast.running.launching.switches import others, told
from sweep import sweep

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


def _others(source, args=()):
    return others(tuple(read(parsed(source))), list(args))


def test_each_switch_is_set_otherwise():
    assert _others(ARGUMENTS, ["p"]) == (
        ("p", "--bf16"),
        ("p", "--weight_dtype", "fp16"),
        ("p", "--mixed-precision", "no"),
        ("p", "--mixed-precision", "bf16-mixed"),
    )
    assert _others(ARGUMENTS, ["p", "-b", "--weight_dtype=fp16", "--mixed-precision", "no"]) == (
        ("p", "-b", "--mixed-precision", "no", "--weight_dtype", "fp32"),
        ("p", "-b", "--weight_dtype=fp16", "--mixed-precision", "bf16-mixed"),
    )


WAYS = {
    "parser.add_argument('--half', action=argparse.BooleanOptionalAction, default=True)": [["--no-half"]],
    "parser.add_argument('--no_half', action='store_false')": [["--no_half"]],
    "parser.add_argument('--no-half', action=argparse.BooleanOptionalAction)": [["--no-half"]],
    "parser.add_argument('--dtype', default='float16')": [["--dtype", "bfloat16"], ["--dtype", "float32"]],
    "D = {'fp16': 1, 'bf16': 2}\nparser.add_argument('--dtype', choices=list(D), default='fp16')": [
        ["--dtype", "bf16"],
    ],
    "D = {'fp16': 1, 'bf16': 2}\nparser.add_argument('--dtype', choices=D.keys())": [
        ["--dtype", "fp16"], ["--dtype", "bf16"],
    ],
    "@click.command()\n@click.option('--bf16', is_flag=True)\ndef main(bf16): ...": [["--bf16"]],
    "@click.option('--half/--no-half', default=True)\ndef main(half): ...": [["--no-half"]],
    "@click.option('--dtype', type=click.Choice(['fp16', 'fp32']), default='fp16')\ndef main(dtype): ...": [
        ["--dtype", "fp32"],
    ],
    "def main(bf16: bool = False, steps: int = 3): ...\ntyper.run(main)": [["--bf16"]],
    "@app.command()\ndef train(mixed_precision: str = typer.Option('fp16')): ...": [
        ["--mixed-precision", "bf16"], ["--mixed-precision", "fp32"],
    ],
    "class P(str, Enum):\n a = 'fp16'\n b = 'bf16'\n@app.command()\ndef main(dtype: P = P.a): ...": [
        ["--dtype", "fp16"], ["--dtype", "bf16"],
    ],
    "def main(half=True): ...\nfire.Fire(main)": [["--no-half"]],
    "@dataclass\nclass A:\n bf16: bool = field(default=False)\n lr: float = 1.0": [["--bf16"]],
    "@dataclass\nclass A:\n weight_dtype: Optional[Literal['fp16', 'bf16']] = 'bf16'": [["--weight_dtype", "fp16"]],
    "def helper(bf16: bool = False): ...": [],
    "parser.add_argument('--out_dtype', default='uint8')": [],
}  # fmt: skip


@sweep("source", WAYS)
def test_command_lines_of_every_kind(source):
    assert _others(source) == tuple(map(tuple, WAYS[source]))


FILES = {
    "main.py": "from settings import parser\nargs = parser().parse_args()\n" + GOVERNED.partition("parse_args()\n")[2],
    "settings.py": (
        "import argparse\n\n\ndef parser():\n    found = argparse.ArgumentParser()\n"
        "    found.add_argument('--bf16', action='store_true')\n    return found\n"
    ),
}


def test_a_parser_in_another_file(fix):
    mending = fix({**FILES, "main.py": f"import torch\nfrom torch import nn\n{FILES['main.py']}"}, "a100")
    assert mending.switches == ("--bf16",)


@pytest.mark.parametrize("source", ["", "parser.add_argument('--verbose', action='store_true')"])
def test_nothing_to_set(source):
    assert _others(source) == ()


def test_how_it_is_said():
    assert told(["p", "--bf16"]) == "--bf16"
    assert told(["p", "--weight_dtype", "fp16"]) == "--weight_dtype fp16"


def test_a_fix_holds_under_the_other_switch(fix):
    mending = fix(GOVERNED, "a100")
    (fixed,) = mending.fixed
    assert fixed.fix.edits[0].replacement == "image = image.to(dtype)"
    assert mending.switches == ("--bf16",)


def test_what_mends_the_run_that_was_asked_for_comes_before_another_run(fix, monkeypatch):
    mending = fix(GOVERNED, "a100")
    monkeypatch.setattr(advice, "mended_after", lambda *_, **__: replace(mending, switches=("--bf16",)))
    first = Outcome(report=mending.before)
    job = Job(target="", args=(), machine="cpu", strict=False, batches=2)
    (finding,) = advice.advised(job, first, seconds=1).findings
    proven = [one.title for one in finding.fixes if one.verified]
    assert proven == [mending.fixed[0].fix.title, "run it with --bf16"]

    def interrupted(_trials, _first, to, **_):
        to.proven(mending)
        raise KeyboardInterrupt

    monkeypatch.setattr(advice, "mended_after", interrupted)
    told = []
    stopped = advice.advised(job, first, told.append, seconds=1)
    assert stopped.findings[0].fixes[0].verified
    assert told == [stopped]
