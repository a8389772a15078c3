"""Measure an answer of `miscast check --watch`: `python benchmarks/watch.py [--write] [NAME …]`.

CPU time of all processes, of each answer from its change on, as a share of the first answer, which includes the start.
What the warm process does between answers, importing libraries, is counted separately. `--write` writes to
docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import page
from edits import applied
from here import conditions

ROOT = Path(__file__).resolve().parents[1]
GOAL = 0.35
_TICKS = os.sysconf("SC_CLK_TCK")

TRANSFORMERS = """\
import torch
from transformers import AutoConfig, AutoModelForCausalLM

config = AutoConfig.for_model(
    "llama", hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4, vocab_size=256
)
model = AutoModelForCausalLM.from_config(config).half().cuda()
tokens = torch.randint(0, 256, (2, 16), device="cuda")
hidden = model.model(tokens).last_hidden_state
head = torch.nn.Linear(64, 2).cuda()
print(head(hidden).shape)
"""
SDXL = (ROOT / "examples" / "sdxl_fp16.py").read_text(encoding="utf-8")
PROGRAMS = {"transformers": ("12 lines of Transformers", TRANSFORMERS), "sdxl": ("examples/sdxl_fp16.py", SDXL)}

Change = Callable[[str, Path], str]


def fixed(text: str, report: Path) -> str:
    """Return the program with the first fix of the last report."""
    findings = json.loads(report.read_text(encoding="utf-8"))["findings"]
    return applied(text, next(fix["edits"] for finding in findings for fix in finding["fixes"] if fix["edits"]))


CHANGES: dict[str, Change] = {
    "after adding a comment": lambda text, _: text.replace("import torch\n", "import torch  # 2.13\n", 1),
    "after applying the first fix": fixed,
    "after adding a statement": lambda text, _: f"{text}\nprint('done')\n",
}


@contextmanager
def watching(folder: Path, text: str) -> Iterator[subprocess.Popen[str]]:
    """A watch of a program; it ends with the block."""
    (folder / "train.py").write_text(text, encoding="utf-8")
    words = ["check", "--watch", "--machine", "v100-32", "--format", "json", "--output", "report.json", "train.py"]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "miscast", *words]
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)


def answered(process: subprocess.Popen[str]) -> float:
    """Return what has been spent when an answer is there; it waits until the process has nothing more to do."""
    stream = process.stderr
    assert stream is not None
    _until(stream, "watching")
    now = spent(process.pid)
    before, children = -1.0, Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while children.read_text(encoding="ascii") or spent(process.pid) - before > 0.1:
        before = spent(process.pid)
        time.sleep(2)
    return now


def _until(stream: IO[str], word: str) -> None:
    for line in stream:
        if word in line:
            return
    raise SystemExit("the watch has ended")


def spent(pid: int) -> float:
    """Seconds of the processor: of a process, and of all that it started and that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS


def row(name: str) -> Iterator[str]:
    """Yield the lines of a program."""
    title, text = PROGRAMS[name]
    with tempfile.TemporaryDirectory() as where, watching(Path(where), text) as process:
        folder = Path(where)
        first = answered(process)
        between = spent(process.pid) - first
        yield f"| {title}: first answer | {first:.1f} s, and {between:.1f} s between answers |  |  |"
        for change, edit in CHANGES.items():
            before = spent(process.pid)
            text = edit(text, folder / "report.json")
            (folder / "train.py").write_text(text, encoding="utf-8")
            again = answered(process) - before
            missed = " **missed**" if again / first > GOAL else ""
            yield f"| {change} | {again:.1f} s | {again / first:.2f}{missed} | ≤ {GOAL:g} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="What an answer of `miscast check --watch` costs")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(PROGRAMS)} (all)")
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    options = parser.parse_args()
    when = conditions().replace("on one core of", "on")
    lines = ["| answer | processor | ÷ first | goal |", "| --- | --- | --- | --- |"]
    for name in options.names or PROGRAMS:
        for line in row(name):
            print(line, flush=True)
            lines.append(line)
    if options.write:
        page.write("make bench-watch", "\n".join([*lines, "", f"{when}."]))


if __name__ == "__main__":
    main()
