"""Put one fault into each of many correct programs, and run `check` and `fix`: `make faults`.

    python benchmarks/faults.py                            200 programs with a fault, other ones each time
    python benchmarks/faults.py --programs 20 --seed 7 --only gan,unet_train
    python benchmarks/faults.py --write                    write the totals to docs/accuracy.md

    |     | programs | found   | line named | by the help | verified fix | same result |
    | all | 200      | 100.0 % | 97.0 %     | 81.0 %      | 91.5 %       | 84.0 %      |

The programs of `corpus/correct` run, and Miscast must find nothing in them. A fault is one change of the syntax tree.
It counts only if torch rejects it: a fault of dtypes in a real run on the CPU, one of devices on torch's fake tensors
(`injury/devices.py`).
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from typing import TextIO

import page
from injury import pool, table
from injury.case import Case, case
from injury.program import Program, programs
from injury.warm import warm
from injury.work import Sound
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Faults in correct programs: found, located, fixed?")
    parser.add_argument("--programs", type=int, default=200, metavar="N", help="programs with a fault (200)")
    parser.add_argument("--seconds", type=int, metavar="N", help="begin no further fault after N seconds")
    parser.add_argument("--seed", type=int, help="repeat a run; else another one each time")
    parser.add_argument("--only", metavar="NAMES", help="only these programs, with commas between")
    parser.add_argument("--no-fix", action="store_true", help="check only")
    parser.add_argument("--jobs", type=int, default=pool.WORKERS, metavar="N", help="worker processes")
    parser.add_argument("--write", action="store_true", help="write the totals to docs/accuracy.md")
    parser.add_argument("--output", metavar="FILE", help="every case, as JSON lines")
    parser.add_argument("--earlier", metavar="FILE", help="count the cases that an earlier run put out, too")
    return parser.parse_args()


def share(names: Sequence[str], count: int, rng: random.Random) -> Counter[str]:
    """How many injuries each program gets: as evenly as can be."""
    order = rng.sample(names, len(names))
    return Counter(order[i % len(order)] for i in range(count))


def collect(  # noqa: PLR0913 - what the command line says
    sound: Sequence[Program], counts: Counter[str], seed: int, *, mend: bool, jobs: int, keep: TextIO, end: float
) -> tuple[list[Case], list[Sound]]:
    """Do the work until time is `end`, with a bar on the terminal; each case is written to `keep` as it comes."""
    cases: list[Case] = []
    sounds: list[Sound] = []
    columns = (TextColumn("faults"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
               TextColumn("{task.description}"))  # fmt: skip
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("", total=sum(counts.values()))
        for found in pool.run(sound, counts, seed, mend=mend, workers=jobs):
            if isinstance(found, Case):
                cases.append(found)
                print(json.dumps(found.data()), file=keep, flush=True)
                good = sum(one.found for one in cases)
                progress.update(bar, advance=1, description=f"{good} found, {found.program}")
            elif isinstance(found, Sound):
                sounds.append(found)
            if time.monotonic() > end:
                break
    return sorted(cases, key=lambda one: (one.program, one.file, one.first, one.injured)), sounds


def read(file: str) -> list[Case]:
    """The cases of a run's `--output`."""
    with open(file, encoding="utf-8") as lines:
        return [case(json.loads(line)) for line in lines]


def report(cases: Sequence[Case], sounds: Sequence[Sound], seeds: str) -> str:
    """All tables."""
    rest = "\n".join(f"- {line}" for line in table.missed(cases)) or "None."
    return "\n\n".join(
        [f"{libraries()}; {seeds}.", table.figures(cases, sounds), "## By fault", table.kinds(cases),
         "## By program", table.programs(cases), "## Not found, or the line not named", rest]
    )  # fmt: skip


def brief(cases: Sequence[Case], sounds: Sequence[Sound], seeds: str) -> str:
    """Return the table of the page: the totals, and the kinds of faults that are the weakest."""
    how = f"Measured {page.today()}: {libraries()}; {seeds}."
    return "\n\n".join([how, table.figures(cases, sounds), table.weakest(cases)])


def libraries() -> str:
    """Return the versions that the programs ran with."""
    return ", ".join(f"{name} {version(name)}" for name in ("torch", "diffusers", "transformers", "peft"))


def main() -> int:
    """Injure, check, fix, count, print."""
    wanted = options()
    seed = random.SystemRandom().randrange(1 << 32) if wanted.seed is None else wanted.seed
    print(f"seed {seed}", file=sys.stderr)
    every = programs()
    names = wanted.only.split(",") if wanted.only else [program.name for program in every]
    unknown = sorted({*names} - {program.name for program in every})
    if unknown:
        print(f"not in corpus/correct: {', '.join(unknown)}", file=sys.stderr)
        return 2
    begin = time.monotonic()
    sound = warm([program for program in every if program.name in names])
    random.Random(seed).shuffle(sound)
    end = begin + wanted.seconds if wanted.seconds else float("inf")
    counts = share([program.name for program in sound], wanted.programs, random.Random(seed))
    earlier = read(wanted.earlier) if wanted.earlier else []
    with open(wanted.output or os.devnull, "w", encoding="utf-8") as keep:
        cases, sounds = collect(sound, counts, seed, mend=not wanted.no_fix, jobs=wanted.jobs, keep=keep, end=end)
    seeds = f"seed {seed}" + (f", and {len(earlier)} faults of an earlier run" if earlier else "")
    each = {(one.program, one.file, one.first, one.injured): one for one in (*earlier, *cases)}
    print(report(list(each.values()), sounds, seeds))
    print(f"{time.monotonic() - begin:.0f} s", file=sys.stderr)
    if wanted.write:
        page.write("make faults", brief(list(each.values()), sounds, seeds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
