"""Measure a matrix of 48 combinations: diffusers' LoRA script for SDXL, with tiny models of random weights.

    python benchmarks/matrix.py --checkouts FOLDER          print the table (settings/checkouts.py fetches diffusers)
    python benchmarks/matrix.py --checkouts FOLDER --write  write it to docs/accuracy.md

From scratch, and when nothing has changed; with one worker and with two; one combination compared with a check in a
warm process, as `check --also` runs it. The script imports torchvision, whose wheel loads next to a torch for the CPU
only if torchvision::nms and ::qnms are declared first.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

import page
from check import processor

HERE = Path(__file__).parent
SCRIPT = "examples/text_to_image/train_text_to_image_lora_sdxl.py"
SPECIFICATION = HERE.parent / "examples" / "matrix" / "miscast.toml"


def _miscast(folder: Path, *words: str | Path) -> tuple[float, str]:
    """The seconds that a command took, and what it said; 0 and 1 are its ways to end well."""
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "miscast", *map(str, words)], cwd=folder, capture_output=True, text=True, check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr[-2000:])
    return time.monotonic() - begin, done.stdout


def _matrix(folder: Path, results: Path, jobs: int) -> tuple[float, list[dict[str, object]]]:
    words = ("matrix", "--file", SPECIFICATION, "--results", results, "--jobs", str(jobs), "--format", "json")
    seconds, said = _miscast(folder, *words)
    return seconds, json.loads(said)["matrix"]["cells"]


def _warm(folder: Path) -> float:
    """Seconds of one more set of arguments in a check, in which the libraries are there already: of four, over one."""
    import tomllib

    words = tomllib.loads(SPECIFICATION.read_text("utf-8"))["matrix"]["run"].split()
    also = ["--mixed_precision fp16", "--mixed_precision bf16", "--gradient_checkpointing"]
    check = ("check", "--fixes", "0", "--reach", "0", "--machine", "a100", "--format", "json")
    one, _ = _miscast(folder, *check, "--also", also[0], *words)
    four, _ = _miscast(folder, *check, *(part for text in (*also, also[0]) for part in ("--also", text)), *words)
    return (four - one) / 3


def rows(folder: Path) -> list[str]:
    """The table's."""
    first, cells = _matrix(folder, folder / "kept", jobs=2)
    again, known = _matrix(folder, folder / "kept", jobs=2)
    alone, _ = _matrix(folder, folder / "kept alone", jobs=1)
    if not all(cell["known"] for cell in known):
        raise SystemExit("a cell that had not changed was run again")
    warm = _warm(folder)
    ran = [float(str(cell["seconds"])) for cell in cells if cell["seconds"]]
    return [
        "| | measured | goal |",
        "| --- | --- | --- |",
        f"| {len(cells)} combinations from scratch, two workers | {first:.0f} s | ≤ 240 s |",
        f"| again, nothing changed | {again:.1f} s | ≤ 5 s |",
        f"| speed-up of two workers over one | {alone / first:.2f} × | ≥ 1.8 × |",
        f"| one combination, two at a time ÷ a warm check | {sum(ran) / len(ran) / warm:.2f} × | ≤ 1.3 × |",
    ]


def main() -> None:
    """Make the models, run, and tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkouts", type=Path, required=True)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        shutil.copy(options.checkouts / "diffusers" / SCRIPT, folder)
        for name in ("sdxl", "pictures"):
            made = [sys.executable, HERE / "settings" / "pipelines.py", name, folder / name]
            subprocess.run(made, check=True, capture_output=True)
        table = rows(folder)
    print("\n".join(table))
    if options.write:
        when = f"{datetime.now(timezone.utc):%Y-%m-%d}"
        said = f"Measured {when} on two cores of {processor()}, load {load:.1f} at the start."
        page.write("python benchmarks/matrix.py --checkouts FOLDER", "\n".join([*table, "", said]))


if __name__ == "__main__":
    main()
