"""Count the programs with a silent precision loss that each stage finds: `make bench-numerics`.

    python benchmarks/numerics.py                 the table
    python benchmarks/numerics.py --only rotary_table,running_loss --cases
    python benchmarks/numerics.py --write         write to docs/accuracy.md; missed.json drops what is found now
    python benchmarks/numerics.py --fixes 40      count what `fix --numerics` fixes, of so many drawn at random

    | kind               | pairs | check --numerics | run --shadow |
    | accumulate-in-half | 7     | 6                | 7            |

A stage is a function from a program's source to the lines that it reports. Each entry of `STAGES` is a column. `harm()`
of each case shows that the fault is one; `tests/numbers` runs it.
"""

from __future__ import annotations

import argparse
import json
import linecache
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import page
import torch
from number_cases import INTENDED, MISSED, Case, cases, missed

if TYPE_CHECKING:
    from miscast.report import Report


_SLOW = "dtype-not-on-machine"
"""float8 on a CPU is slow, and loses nothing by that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The lines that a stage accuses, and the processor seconds that it took."""

    lines: frozenset[int]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A case, and of each stage: was the line found, was the right form accused."""

    case: Case
    found: dict[str, bool]
    alarm: dict[str, bool]


def run(source: str, name: str) -> None:
    """The program, as a file that only linecache has."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), {"__name__": "__main__"})


def plain(source: str, name: str) -> Outcome:
    """Nothing but the program: what others cost is told beside it."""
    start = time.process_time()
    run(source, name)
    return Outcome(lines=frozenset(), seconds=time.process_time() - start)


def shadow(source: str, name: str) -> Outcome:
    """`miscast run --shadow`: a hint is no accusation."""
    from miscast.numbers.values.session import Session

    session = Session()
    start = time.process_time()
    with session.on():
        run(source, name)
    found = [one for one in session.findings() if one.severity != "hint"]
    seconds = time.process_time() - start
    return Outcome(lines=frozenset(one.location.line for one in found), seconds=seconds)


def followed(source: str, name: str) -> Outcome:
    """`miscast check --numerics`, on the machine that the program names, else a CPU."""
    from miscast.api import check

    start = time.process_time()
    report = check(partial(run, source, name), machine="cpu", numerics=True)
    seconds = time.process_time() - start
    return Outcome(lines=frozenset(_named(report)), seconds=seconds)


def _named(report: Report) -> Iterator[int]:
    """The lines of findings, and of the births behind their operands: a weight is told of at its optimizer."""
    for one in report.findings:
        if one.rule == _SLOW or one.severity == "hint":
            continue
        yield one.location.line
        for operand in one.operands:
            if operand.dtype_origin is not None and operand.dtype_origin.location is not None:
                yield operand.dtype_origin.location.line


STAGES: dict[str, Callable[[str, str], Outcome]] = {"check --numerics": followed, "run --shadow": shadow}


def measured(every: Sequence[Case], seconds: Counter[str]) -> Iterator[Row]:
    """Each case by each stage; the seconds of all are counted."""
    for case in every:
        name = f"/case/{case.name}.py"
        found, alarm = {}, {}
        seconds["plain"] += plain(case.faulty, name).seconds
        for stage, look in STAGES.items():
            told = look(case.faulty, name)
            seconds[stage] += told.seconds
            found[stage] = case.line in told.lines
            alarm[stage] = bool(look(case.right, name).lines)
        yield Row(case=case, found=found, alarm=alarm)
        print(f"{case.name}: {found}", file=sys.stderr)


def mended(case: Case) -> bool:
    """Whether `miscast fix --numerics` has a proven change after which the case's line is told of no more."""
    from miscast.fixing.fixes import Job, mend

    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / f"{case.name}.py"
        script.write_text(case.faulty, "utf-8")
        found = mend(Job(target=str(script), args=(), machine="cpu", strict=False, batches=2, numerics=True))
    return bool(found.fixed) and case.line not in set(_named(found.after))


def count_mended(every: Sequence[Case], many: int, seed: int) -> str:
    """By kind: of so many cases that --numerics tells of, those that are mended."""
    drawn = random.Random(seed).sample(every, min(many, len(every)))
    told, fixed = Counter[str](), Counter[str]()
    for case in drawn:
        if case.line not in followed(case.faulty, f"/case/{case.name}.py").lines:
            continue
        told[case.kind] += 1
        done = mended(case)
        fixed[case.kind] += done
        print(f"{case.name}: {'fixed' if done else 'not fixed'}", file=sys.stderr, flush=True)
    rows = [f"| {kind} | {told[kind]} | {fixed[kind]} |" for kind in sorted(told)]
    last = f"| **all** (seed {seed}) | {told.total()} | **{fixed.total()}** |"
    return "\n".join(["| kind | reported | fixed |", "|---|---|---|", *rows, last])


def on_purpose() -> dict[str, list[str]]:
    """Of each stage, the programs that it accuses although they do on purpose what they do."""
    accused: dict[str, list[str]] = {stage: [] for stage in STAGES}
    for file in INTENDED:
        for stage, look in STAGES.items():
            if look(file.read_text("utf-8"), f"/intended/{file.name}").lines:
                accused[stage].append(file.stem)
    return accused


def shrunk(rows: Sequence[Row]) -> list[str]:
    """Take the cases that are found now off the list of missed ones; returns those that would have to be added."""
    known, lost = {stage: set(names) for stage, names in missed().items()}, []
    for row in rows:
        for stage, found in row.found.items():
            if found:
                known[stage].discard(row.case.name)
            elif row.case.name not in known[stage]:
                lost.append(f"{row.case.name} by {stage}")
    MISSED.write_text(json.dumps({stage: sorted(names) for stage, names in known.items()}, indent=0) + "\n", "utf-8")
    return lost


def table(rows: Sequence[Row], accused: dict[str, list[str]], seconds: Counter[str]) -> str:
    """Found by kind and stage, then alarms and cost."""
    kinds = Counter(row.case.kind for row in rows)
    lines = [f"| kind | pairs | {' | '.join(STAGES)} |", f"|---|---|{'---|' * len(STAGES)}"]
    for kind, pairs in sorted(kinds.items()):
        counts = [sum(row.found[stage] for row in rows if row.case.kind == kind) for stage in STAGES]
        lines.append(f"| {kind} | {pairs} | {' | '.join(map(str, counts))} |")
    totals = [sum(row.found[stage] for row in rows) for stage in STAGES]
    alarms = [f"{sum(row.alarm[stage] for row in rows)} of {len(rows)}" for stage in STAGES]
    meant = [f"{len(accused[stage])} of {len(INTENDED)}" for stage in STAGES]
    cost = [f"{seconds[stage] / max(seconds['plain'], 1e-9):.0f} ×" for stage in STAGES]
    lines.append(f"| **all** | {len(rows)} | {' | '.join(f'**{total}**' for total in totals)} |")
    lines.append(f"| correct programs reported | | {' | '.join(alarms)} |")
    lines.append(f"| intentional, reported | | {' | '.join(meant)} |")
    lines.append(f"| CPU time ÷ the program alone | | {' | '.join(cost)} |")
    return "\n".join([*lines, "", f"Measured {page.today()}."])


def main() -> int:
    """Run, print, write."""
    parser = argparse.ArgumentParser(description="Which stage finds a silent precision loss?")
    parser.add_argument("--only", metavar="NAMES", help="only these cases, with commas between")
    parser.add_argument("--cases", action="store_true", help="each case that is missed, and each alarm")
    parser.add_argument("--write", action="store_true", help="write the table of docs/accuracy.md, and the missed")
    parser.add_argument("--fixes", type=int, metavar="N", help="count what fix --numerics fixes, of so many cases")
    parser.add_argument("--seed", type=int, default=18, help="of the cases that are drawn for --fixes (18)")
    wanted = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    names = set(wanted.only.split(",")) if wanted.only else None
    every = [case for case in cases() if names is None or case.name in names]
    if wanted.fixes:
        print(count_mended(every, wanted.fixes, wanted.seed))
        return 0
    seconds: Counter[str] = Counter()
    rows = list(measured(every, seconds))
    text = table(rows, on_purpose(), seconds)
    print(text)
    if wanted.cases:
        for row in rows:
            for stage in STAGES:
                if not row.found[stage] or row.alarm[stage]:
                    state = "missed" if not row.found[stage] else "correct program reported"
                    print(f"{stage}: {row.case.name} ({row.case.kind}) {state}")
    if wanted.write:
        page.write("make bench-numerics", text)
        lost = shrunk(rows)
        if lost:
            print(f"no longer found: {', '.join(lost)}", file=sys.stderr)
        return int(bool(lost))
    return 0


if __name__ == "__main__":
    sys.exit(main())
