"""Measure the speed of `miscast lint`: a thousand files, a start, bad input, and the bare parsers for comparison.

    python benchmarks/lint.py          measure, print, and write to docs/accuracy.md
    python benchmarks/lint.py --print  measure and print
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import page
import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

# ruff: noqa: E402 - imports follow the path
from miscast.lint import lint

try:
    import tomllib
except ImportError:
    import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]

FOLDERS = 250
TORCH = "import sys; from miscast.lint import lint; lint(sys.argv[1:]); sys.exit('torch' in sys.modules)"
STARTS = 9

TRAINER = "output_dir: o\nnum_train_epochs: 1\nbf16: true\ndeepspeed: ds.json\n" + "# a comment\nseed: 1\n" * 20
ENGINE = json.dumps(
    {
        "zero_optimization": {"stage": 2, "overlap_comm": True, "reduce_bucket_size": "auto"},
        "fp16": {"enabled": "auto", "loss_scale": 0, "loss_scale_window": 1000, "hysteresis": 2},
        "bf16": {"enabled": "auto"},
        "optimizer": {"type": "AdamW", "params": {"lr": "auto", "betas": "auto"}},
        "train_batch_size": "auto",
    },
    indent=2,
)
SCRIPT = """#!/bin/bash
export CUDA_VISIBLE_DEVICES=0,1
ARGS="--output_dir o --seed 1 \\
  --per_device_train_batch_size 2"
accelerate launch --num_processes 2 train.py $ARGS --learning_rate 1e-4
"""
RECIPE = '[model]\nflavor = "8B"\n[training]\nseq_len = 8192\nsteps = 1000\n[optimizer]\nlr = 3e-4\nname = "AdamW"\n'
FILES = {"train.yaml": TRAINER, "ds.json": ENGINE, "run.sh": SCRIPT, "recipe.toml": RECIPE}

FUNCTION = '''
def attend_{0}(query, key, value, mask=None, scale: float = 1.0, *, dropout: float = 0.0):
    """Attention over the {0}th window: (batch, heads, sequence, channels)."""
    weight = query @ key.transpose(-2, -1) * scale
    if mask is not None:
        weight = weight.masked_fill(mask[:, None, None] == 0, float("-inf"))
    weight = torch.nn.functional.dropout(weight.softmax(dim=-1), p=dropout)
    return [weight @ value, {{"window": {0}, "shape": tuple(weight.shape)}}]
'''
MODULE = "import torch\nfrom transformers import AutoModel\n" + "".join(map(FUNCTION.format, range(20)))
PROGRAM = MODULE + "".join(map(FUNCTION.format, range(20, 40))) + """
model = AutoModel.from_pretrained("a/model", torch_dtype=torch.bfloat16)
with torch.autocast("cuda", dtype=torch.bfloat16):
    model(torch.ones(1)).loss.backward()
"""
GUIDE = "# Training\n\n" + "What the options mean, and which of them go together.\n\n" * 100
PAGE = GUIDE + "```bash\naccelerate launch --mixed_precision bf16 train.py --learning_rate 1e-4\n```\n"
TABLE = json.dumps({"layers": [{"name": f"blocks.{n}", "shape": [64, n], "tied": False} for n in range(70)]}, indent=2)
CELLS = [{"cell_type": "code", "source": FUNCTION.format(n).splitlines(keepends=True)} for n in range(30)]
NOTEBOOK = json.dumps({"cells": CELLS}, indent=1)
MIX = {
    ".py": (690, (MODULE, MODULE, PROGRAM, MODULE, MODULE)),
    ".md": (112, (GUIDE, PAGE, GUIDE)),
    ".yaml": (74, (TRAINER,)),
    ".json": (61, (TABLE, ENGINE)),
    ".sh": (56, (SCRIPT,)),
    ".ipynb": (7, (NOTEBOOK,)),
}
"""Kinds and sizes of 1,000 files in a project's folder, in the proportions of 42 projects."""
BESIDE = 6
"""Files per folder in these projects."""


def mixed(folder: Path) -> None:
    """Write the mix, with the kinds spread evenly over the folders."""
    texts = [
        (index / count, f"{index}{suffix}", kinds[index % len(kinds)])
        for suffix, (count, kinds) in MIX.items()
        for index in range(count)
    ]
    for number, (_, name, text) in enumerate(sorted(texts)):
        below = folder / str(number // BESIDE)
        below.mkdir(exist_ok=True)
        (below / name).write_text(text, encoding="utf-8")


def mix_seconds() -> tuple[float, int]:
    """Return the time for the mix, and its number of files."""
    with tempfile.TemporaryDirectory() as name:
        mixed(Path(name))
        return min(seconds(lambda: lint([name])) for _ in range(3)), lint([name]).files


def bare(folder: Path) -> None:
    """Parse the same files with PyYAML, json and tomllib only; the script is only read."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for file in sorted(folder.rglob("*.*")):
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".yaml":
            yaml.load(text, Loader=loader)
        elif file.suffix == ".json":
            json.loads(text)
        elif file.suffix == ".toml":
            tomllib.loads(text)


def seconds(call: Callable[[], object]) -> float:
    """Return the CPU time of a call."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def started(*arguments: str) -> float:
    """Return the CPU time of a process: the median of several runs."""
    command = [sys.executable, *arguments]
    taken = []
    for _ in range(STARTS):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=ROOT, env={"PYTHONPATH": str(ROOT / "src")}, capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(taken)


def measured() -> list[tuple[str, str, str, str]]:
    """Return rows of the table: name, value, goal, details."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for index in range(FOLDERS):
            (folder / str(index)).mkdir()
            for file, text in FILES.items():
                (folder / str(index) / file).write_text(text, encoding="utf-8")
        lint([str(folder / "0")])  # the parsers are loaded
        whole = min(seconds(lambda: lint([name])) for _ in range(3))
        parsers = min(seconds(lambda: bare(folder)) for _ in range(3))
        found = lint([name])
        one = started("-m", "miscast", "lint", str(folder / "0"))
        empty = started("-c", "pass")
        bomb = folder / "bomb.yaml"
        levels = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10))
        bomb.write_text("a0: &a0 [x]\n" + levels, encoding="utf-8")
        blown = seconds(lambda: lint([str(bomb)]))
        large = folder / "large.json"
        with large.open("wb") as stream:
            stream.truncate(100_000_000)
        refused = seconds(lambda: lint([str(large)]))
        torch = subprocess.run(
            [sys.executable, "-c", TORCH, str(folder / "0")],
            env={"PYTHONPATH": str(ROOT / "src")}, check=False,
        ).returncode  # fmt: skip
    mix, files = mix_seconds()
    return [
        (f"{files:,} files in the proportions of real projects", f"{mix:.2f} s", "≤ 2.5 s", "of six kinds"),
        (f"{found.files:,} files, {len(found.runs)} runs", f"{whole:.2f} s", "≤ 3 s", "in four formats"),
        ("the same ÷ the parsers alone", f"{whole / parsers:.1f}", "", f"{parsers:.2f} s: PyYAML, json, tomllib"),
        (
            "a process that reads one folder",
            f"{one * 1e3:.0f} ms",
            "≤ 180 ms",
            f"{one / empty:.1f} × `python -c pass` ({empty * 1e3:.0f} ms)",
        ),
        ("torch imported", str(torch), "0", ""),
        ("a YAML bomb", f"{blown * 1e3:.0f} ms", "", "nine aliases, nine levels"),
        ("a JSON of 100 MB", f"{refused * 1e3:.0f} ms", "", "rejected by its size"),
    ]


def main() -> None:
    """Measure, and print or write."""
    rows = ["|  | measured | goal |  |", "| --- | --- | --- | --- |"]
    rows += [f"| {' | '.join(row)} |" for row in measured()]
    rows.append(
        f"\nMeasured {time.strftime('%Y-%m-%d')} with Python {sys.version.split()[0]}; CPU time, the best of three."
    )
    table = "\n".join(rows)
    print(table)
    if "--print" not in sys.argv:
        page.write("make bench-lint", "\n".join([*page.columns(rows[:-4], 3), rows[-1]]))


if __name__ == "__main__":
    main()
