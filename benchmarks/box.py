"""What the box costs a check: `python benchmarks/box.py [--pairs N] [--write]`.

A program of one line with torch in it is checked in each kind of box and without one, in turns, whole processes; the
table has the medians of the differences, pair by pair. `--write` puts it into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import page

PROGRAM = "import torch\ntorch.nn.Linear(4, 4)(torch.ones(2, 4))\n"
BARE = """\
import os, sys
from miscast.api import check_program
print(check_program(sys.argv[1], writes="real", network="open"), flush=True)
os._exit(0)  # as a boxed program ends: Python's own end takes longer than any box
"""
GOAL = 0.060


def seconds(kind: str, program: Path) -> float:
    """One whole run."""
    command = [sys.executable, "-c", BARE, str(program)]
    if kind:
        command = [sys.executable, "-m", "miscast", "check", str(program)]
    begin = time.perf_counter()
    subprocess.run(command, env=os.environ | {"MISCAST_BOX": kind}, check=True, capture_output=True)
    return time.perf_counter() - begin


def main() -> int:
    """Print the table; 1 if a kind of box costs more than the goal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    kinds = ["kernel", "python"] if sys.platform == "linux" else ["python"]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.py")
        program.write_text(PROGRAM)
        for kind in ("", *kinds):
            seconds(kind, program)
        found: dict[str, list[float]] = {kind: [] for kind in ("", *kinds)}
        for _ in range(options.pairs):
            for kind, times in found.items():
                times.append(seconds(kind, program))
    lines = ["| a check of one line, whole process | median | more than without a box | goal |", "|---|---|---|---|"]
    lines.append(f"| without a box | {statistics.median(found['']):.2f} s | | |")
    costs = {kind: statistics.median(b - a for a, b in zip(found[""], found[kind], strict=True)) for kind in kinds}
    for kind, cost in costs.items():
        lines.append(f"| box of {kind} | {statistics.median(found[kind]):.2f} s | {cost * 1e3:.0f} ms | ≤ 60 ms |")
    text = "\n".join(lines)
    print(text)
    if options.write:
        page.write("benchmarks.md", "make bench-box", f"{options.pairs} rounds in turns.\n\n{text}")
    return int(any(cost > GOAL for cost in costs.values()))


if __name__ == "__main__":
    sys.exit(main())
