"""Measure how long the tests take, by revision: `python benchmarks/suite.py [REVISION …] [--write]`.

    python benchmarks/suite.py v0.1 HEAD                 compare two revisions
    python benchmarks/suite.py HEAD --targets test       only one of make's targets

Each revision is cloned, and its tests run in this environment: the collection, then make's targets. `--write` writes
the last revision to docs/accuracy.md.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from pathlib import Path

import page
from check import processor
from here import spent

ROOT = Path(__file__).resolve().parents[1]
TARGETS = "test", "test-most"
Row = dict[str, str]


@contextmanager
def cloned(revision: str) -> Iterator[Path]:
    """A clone of the repository at a revision, with the environment of this one, which ends with the block."""
    with tempfile.TemporaryDirectory(prefix="suite-") as folder:
        clone = Path(folder, "miscast")
        subprocess.run(["git", "clone", "-q", ROOT, clone], check=True)
        subprocess.run(["git", "checkout", "-q", revision], cwd=clone, check=True)
        (clone / ".venv").symlink_to(ROOT / ".venv")
        for path in (clone / "pyproject.toml", clone / "constraints.txt"):
            os.utime(path, (0, 0))  # else make would install again
        yield clone


def measured(clone: Path, command: Sequence[str]) -> tuple[str, float, float]:
    """The output of a command in a clone, its seconds on the clock, and those of the processor."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env["PYTHONPATH"] = str(clone / "src")
    begin, before = time.monotonic(), spent()
    ran = subprocess.run(command, cwd=clone, env=env, stdout=subprocess.PIPE, text=True, check=False)
    return ran.stdout, time.monotonic() - begin, spent() - before


def row(clone: Path, targets: Sequence[str]) -> Row:
    """What one revision takes."""
    collect = [".venv/bin/python", "-m", "pytest", "--collect-only", "-q"]
    measured(clone, collect)  # the first run compiles
    output, seconds, _ = measured(clone, collect)
    found = re.search(r"(\d+) tests collected", output)
    told = {"items collected": f"{int(found[1]):,}" if found else "?", "seconds to collect": f"{seconds:.0f}"}
    for target in targets:
        output, seconds, used = measured(clone, ["make", "--no-print-directory", target])
        results = ", ".join(re.findall(r"\d+ (?:failed|passed)", output))
        told[f"`make {target}`, minutes"] = f"{seconds / 60:.1f} ({used / 60:.0f} of CPU time; {results})"
        print(f"{target}: {told[f'`make {target}`, minutes']}", file=sys.stderr)
    return told


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revisions", nargs="*", default=["HEAD"])
    parser.add_argument("--targets", default=",".join(TARGETS), help="of make, with commas between")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    day, load = datetime.now(timezone.utc), os.getloadavg()[0]
    where = f"Measured {day:%Y-%m-%d} on {processor()}, load {load:.1f} at the start"
    rows: dict[str, Row] = {}
    for revision in options.revisions:
        with cloned(revision) as clone:
            rows[revision] = row(clone, options.targets.split(","))
    lines = [f"| | {' | '.join(rows)} |", "|---" * (len(rows) + 1) + "|"]
    names = next(iter(rows.values()))
    lines += [f"| {name} | {' | '.join(told[name] for told in rows.values())} |" for name in names]
    text = "\n".join([*lines, "", f"{where}."])
    print(text)
    if options.write:
        last = [f"{name} {told}" for name, told in list(rows.values())[-1].items()]
        page.write("python benchmarks/suite.py", f"{where}: {'; '.join(last)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
