"""Count the functions of Miscast that an op passes: `python benchmarks/walk.py [--files]`.

A half-precision convolution gets a float32 image on a virtual V100. Counted are Miscast's own functions from
`torch.ones` to the end of `conv2d`, and from there to the finding: their files, their calls, and how often one file
calls into, or returns to, another. `--files` names the files with the calls of each.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import torch

import miscast
from miscast.box.python import python_box
from miscast.core import machines
from miscast.report.judged import judged
from miscast.running.program.run import run_callable

OWN = str(Path(miscast.__file__).parent)


@dataclass
class Walk:
    """Calls by file, and how often control goes from one file to another."""

    calls: Counter[str] = field(default_factory=Counter)
    changes: int = 0
    here: str = ""

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """A profiler of Python's."""
        file = frame.f_code.co_filename
        if event not in ("call", "return") or not file.startswith(OWN):
            return
        if event == "call":
            self.calls[file.removeprefix(OWN)[1:]] += 1
        elif frame.f_back is not None:
            file = frame.f_back.f_code.co_filename
        if file.startswith(OWN) and file != self.here:
            self.changes += bool(self.here)
            self.here = file

    def row(self, name: str) -> str:
        """A line of the table."""
        return f"| {name} | {len(self.calls)} | {sum(self.calls.values()):,} | {self.changes:,} |"


OPS, FINDING = Walk(), Walk()


def program() -> None:
    """What is checked; a mistake before it reads what is read once of each file."""
    image = torch.ones(1, 3, 8, device="cuda")
    torch.nn.Conv1d(3, 8, 3, device="cuda").half()(image)
    net = torch.nn.Conv2d(3, 8, 3, device="cuda").half()
    sys.setprofile(OPS)
    image = torch.ones(1, 3, 8, 8, device="cuda")
    net(image)
    sys.setprofile(None)


def main() -> None:
    parser = argparse.ArgumentParser(description="How far an op's way to a finding is")
    parser.add_argument("--files", action="store_true", help="name the files")
    options = parser.parse_args()
    with python_box() as box:
        trace, _ = run_callable(program, (), {}, machines.find("v100"), batches=2, box=box)
    sys.setprofile(FINDING)
    report = judged(trace)
    sys.setprofile(None)
    assert [finding.op for finding in report.findings] == ["conv1d", "conv2d"]
    rows = [OPS.row("run `torch.ones` and a `conv2d` that mixes dtypes"), FINDING.row("make two findings")]
    text = "\n".join(["| step | files | calls | changes of file |", "| --- | --- | --- | --- |", *rows])
    print(text)
    if options.files:
        for walk in (OPS, FINDING):
            print(*(f"{count:6} {file}" for file, count in walk.calls.most_common()), sep="\n", end="\n\n")


if __name__ == "__main__":
    main()
