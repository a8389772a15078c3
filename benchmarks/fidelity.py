"""Compare `check` with real torch on random calls of torch's operator database: `make fidelity`.

    python benchmarks/fidelity.py --samples 2000              random calls, another seed each time
    python benchmarks/fidelity.py --ops addmm,layer_norm --all --seed 7
    python benchmarks/fidelity.py --samples 20000 --write     write the totals to docs/accuracy.md

    | family    | calls | rejected | recall  | FakeTensorMode | run | false alarms | wrong results | …
    | matmul    | 600   | 310      | 100 %   | 12.90 %        | 290 | 0            | 1 (0.34 %)    | …

Each op is as likely as any other, then each of its samples, dtypes, operands and casts. A call is a program of three
lines: the call (in `torch.autocast("cpu")` or not), the sum of its floating-point results, backward.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import page
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)
from trials import pool, table
from trials.calls import operators
from trials.outcome import Lost, Trial
from trials.verdict import verdict


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How `miscast check` compares with real torch, call by call.")
    parser.add_argument("--samples", type=int, default=1000, metavar="N", help="calls to draw (1000)")
    parser.add_argument("--all", action="store_true", help="every call of two samples per op and dtype")
    parser.add_argument("--ops", metavar="NAMES", help="only these of the database, with commas between")
    parser.add_argument("--seed", type=int, help="repeat a run; else another one each time")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no op after that time")
    parser.add_argument("--machine", default="cpu", help="checked on it, and called on the real one: cpu, h100 … (cpu)")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes (2)")
    parser.add_argument("--write", action="store_true", help="write the totals to docs/accuracy.md")
    parser.add_argument("--output", metavar="FILE", help="each call that disagrees, as JSON lines")
    return parser.parse_args()


def draw(names: Sequence[str], count: int, rng: random.Random) -> Mapping[str, int]:
    """How many calls of which op, in random order."""
    drawn = Counter(rng.choices(names, k=count))
    order = sorted(drawn)
    rng.shuffle(order)
    return {name: drawn[name] for name in order}


def collect(asked: Mapping[str, int | None], wanted: argparse.Namespace, seed: int) -> tuple[list[Trial], list[Lost]]:
    """Make the calls, with a bar on the terminal."""
    trials: list[Trial] = []
    lost: list[Lost] = []
    columns = (TextColumn("fidelity"), BarColumn(), MofNCompleteColumn(), TextColumn("ops"), TimeElapsedColumn(),
               TextColumn("{task.description}"))  # fmt: skip
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("", total=len(asked))
        for found in pool.run(asked, seed, time.monotonic() + wanted.seconds, wanted.workers, wanted.machine):
            if isinstance(found, Trial):
                trials.append(found)
            elif isinstance(found, Lost):
                lost.append(found)
            else:
                progress.update(bar, advance=1, description=f"{len(trials):,} calls, {found}")
    return sorted(trials, key=lambda t: (t.op, t.call)), sorted(lost, key=lambda one: one.call)


def report(trials: Sequence[Trial], lost: Sequence[Lost], seed: int, machine: str) -> str:
    """Return all tables."""
    remarks = "\n".join(f"- {line}" for line in table.remarks(trials, lost))
    return "\n\n".join(
        [conditions(trials, seed, machine), table.families(trials), remarks, "## Kinds", table.kinds(trials),
         "## The worst ops", table.worst(trials)]
    )  # fmt: skip


def brief(trials: Sequence[Trial], seed: int, machine: str) -> str:
    """Return the table of the page: the sum of all, and the weakest families."""
    how = f"Measured {page.today()}: {conditions(trials, seed, machine)}"
    total = table.total(trials)
    row = table.table(("calls", *table.HEAD[2:]), [(total[0], *(cell or "0" for cell in total[2:]))])
    alone = next(line for line in table.remarks(trials, ()) if line.startswith("Tables and contracts alone"))
    return "\n\n".join([how, row, " ".join([table.weakest(trials), *([alone] if machine == "cpu" else [])])])


def conditions(trials: Sequence[Trial], seed: int, machine: str) -> str:
    """Return what was called with which torch."""
    ops = len({t.op for t in trials})
    return f"torch {version('torch')}, {machine}, seed {seed}: {len(trials):,} calls of {ops:,} ops."


def main() -> int:
    """Draw, call, count, print."""
    wanted = options()
    seed = random.SystemRandom().randrange(1 << 32) if wanted.seed is None else wanted.seed
    print(f"seed {seed}", file=sys.stderr)
    names = wanted.ops.split(",") if wanted.ops else sorted(operators())
    unknown = [name for name in names if name not in operators()]
    if unknown:
        print(f"not in torch's operator database: {', '.join(unknown)}", file=sys.stderr)
        return 2
    rng = random.Random(seed)
    asked = dict.fromkeys(rng.sample(names, len(names))) if wanted.all else draw(names, wanted.samples, rng)
    trials, lost = collect(asked, wanted, seed)
    print(report(trials, lost, seed, wanted.machine))
    if wanted.output:
        wrong = [t for t in trials if verdict(t) not in ("right", "not dtypes")]
        lines = [json.dumps({"verdict": verdict(t), **t.data()}) for t in wrong]
        Path(wanted.output).write_text("\n".join([*lines, ""]), encoding="utf-8")
    if wanted.write:
        other = f"python benchmarks/fidelity.py --machine {wanted.machine}"
        page.write("make fidelity" if wanted.machine == "cpu" else other, brief(trials, seed, wanted.machine))
    return 0


if __name__ == "__main__":
    sys.exit(main())
