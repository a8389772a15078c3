"""Measure what the sandbox costs a check: `python benchmarks/box.py [--rounds N] [--write]`.

A one-line program that imports torch is checked in each kind of sandbox, in its own process without one, and in the
command's own process; in turns, as whole processes. The table has the fastest time of each, and the median and
quartiles of the difference within a turn: on a shared machine, one check differs from itself by more than a sandbox
costs. Miscast's bytecode is compiled beforehand, as pip does. `--write` writes to docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import page
from here import spent

import miscast

PROGRAM = "import torch\ntorch.nn.Linear(4, 4)(torch.ones(2, 4))\n"
HERE = """\
import sys
from miscast.box import start
start.apart = lambda: False
from miscast.cli import main
sys.exit(main(["check", *sys.argv[1:]]))
"""
NAMES = {
    "here": "in the command's own process",
    "open": "in its own process, no sandbox",
    "kernel": "kernel sandbox",
    "python": "Python sandbox",
}
OPEN = ("--writes", "real", "--network")
GOAL = 0.060


def run(kind: str, program: Path) -> tuple[float, float]:
    """One whole run: its seconds on the clock, and those of the processor."""
    options = OPEN if kind in ("open", "here") else ()
    begins = ["-c", HERE] if kind == "here" else ["-m", "miscast", "check"]
    forced = {"MISCAST_BOX": kind} if kind in ("kernel", "python") else {}
    begin, before = time.perf_counter(), spent()
    command = [sys.executable, *begins, *options, str(program)]
    subprocess.run(command, env=installed(program.parent / "installed") | forced, check=True, capture_output=True)
    return time.perf_counter() - begin, spent() - before


def installed(folder: Path) -> dict[str, str]:
    """An environment where Miscast lies in `folder` as pip leaves it, with its bytecode.

    A checkout has none for what is imported in a box only: it cannot keep what it compiles there.
    """
    package = folder / "miscast"
    if not package.exists():
        shutil.copytree(Path(miscast.__file__).parent, package)
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(package)], check=True)
    return {**os.environ, "PYTHONPATH": str(folder)}


def _differences(without: list[tuple[float, float]], boxed: list[tuple[float, float]]) -> list[float]:
    """The quartiles of what a box takes more on the clock than the run without one in the same turn."""
    return statistics.quantiles([b[0] - a[0] for a, b in zip(without, boxed, strict=True)], n=4)


def main() -> int:
    """Print the table; 1 if a kind of box costs more than the goal in three turns of four."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    kinds = ["kernel", "python"] if sys.platform == "linux" else ["python"]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "program.py")
        program.write_text(PROGRAM)
        found: dict[str, list[tuple[float, float]]] = {kind: [] for kind in ("here", "open", *kinds)}
        for kind in found:
            run(kind, program)
        for _ in range(options.rounds):
            for kind, times in found.items():
                times.append(run(kind, program))
    least = {kind: [min(column) for column in zip(*times, strict=True)] for kind, times in found.items()}
    costs = {kind: _differences(found["open"], found[kind]) for kind in kinds}
    lines = ["| check of a one-line program | wall | processor | cost of the sandbox | goal |"]
    lines.append("|---|---|---|---|---|")
    for kind, (wall, processor) in least.items():
        cost = " | "
        if kind in costs:
            low, middle, high = (round(1e3 * seconds) for seconds in costs[kind])
            cost = f"{middle} ms ({low} to {high}) | ≤ {GOAL * 1e3:.0f} ms"
        lines.append(f"| {NAMES[kind]} | {wall:.2f} s | {processor:.2f} s | {cost} |")
    text = "\n".join(lines)
    print(text)
    if options.write:
        rounds = (
            f"Measured {page.today()}, {options.rounds} rounds: the fastest time; the median cost and its quartiles."
        )
        page.write("make bench-box", "\n".join([rounds, "", *lines[:2], *lines[3:]]))
    return int(any(cost[0] > GOAL for cost in costs.values()))


if __name__ == "__main__":
    sys.exit(main())
