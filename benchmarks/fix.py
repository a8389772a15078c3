"""Measure what `miscast fix` costs compared with `check`: `python benchmarks/fix.py [--rounds N] [--write]`.

CPU time of whole processes with all that they start, in turns; the median of the ratios. `--write` writes to
docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import page
from here import spent

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = {
    "SDXL, 2.6 billion parameters": ("v100-32", ["examples/sdxl_fp16.py"]),
    "recipe of latent diffusion, three faults": (
        "v100-32",
        ["recipes/latent_diffusion_fp16/train.py", "--size", "real"]
        + [word for fault in ("generated-mask", "hard-coded-float", "half-image") for word in ("--fault", fault)],
    ),
}
GOAL = 4.0


def run(*words: str) -> tuple[float, dict[str, object]]:
    """Seconds of the processor, and what was said as JSON."""
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "OMP_NUM_THREADS": "1"}
    begin = spent()
    done = subprocess.run(
        [sys.executable, "-m", "miscast", *words], cwd=ROOT, env=environment, capture_output=True, check=False
    )
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr.decode())
    return spent() - begin, json.loads(done.stdout)


def row(name: str, rounds: int) -> str:
    """A line of the table."""
    machine, words = PROGRAMS[name]
    ratios, said = [], {}
    for _ in range(rounds):
        check, _found = run("check", "--fixes", "0", "--format", "json", "--machine", machine, *words)
        fix, said = run("fix", "--format", "json", "--machine", machine, *words)
        ratios.append(fix / check)
        print(f"{name}: {check:.1f} s, {fix:.1f} s", file=sys.stderr)
    mending = said["mending"]
    assert isinstance(mending, dict)
    proven, left, runs = len(mending["fixed"]), len(mending["left"]), mending["runs"]
    return f"| {name} | {proven} | {left} | {runs} | {statistics.median(ratios):.2f} | ≤ {GOAL:g} | {check:.1f} s |"


def main() -> None:
    parser = argparse.ArgumentParser(description="What `miscast fix` costs compared with the check")
    parser.add_argument("--rounds", type=int, default=1, metavar="N")
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    options = parser.parse_args()
    columns = "program", "verified fixes", "findings left", "runs", "`fix` ÷ `check`", "goal", "`check`"
    head = [f"| {' | '.join(columns)} |", "| --- " * len(columns) + "|"]
    text = "\n".join([*head, *(row(name, options.rounds) for name in PROGRAMS), "", f"Measured {page.today()}."])
    print(text)
    if options.write:
        page.write("make bench-fix", text)


if __name__ == "__main__":
    main()
