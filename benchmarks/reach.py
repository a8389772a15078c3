"""What does `check --reach` come to, and what does it take? In sound programs: `make bench-reach`.

    python benchmarks/reach.py                      the correct programs and the recipes
    python benchmarks/reach.py --only gan,unet_train

    | program | lines | run | named | telling | forcing | clock | memory | alarms |

`lines`: those with tensor work that the program could come to; of these so many were run, in a fork or without, and so
many more named with their condition. `telling` and `forcing`: the processor time of `--reach 1` and `--reach 2`, as
ratios to that without, in turns; `clock` and `memory`: the time that passed and the most memory of all its processes,
with `--reach 2`, likewise. An alarm is anything that is found on a forced path: these programs are sound.
"""

from __future__ import annotations

import argparse
import ast
import json
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from injury.child import ChildError, call
from injury.program import programs
from injury.warm import warm
from reaching.memory import Peak
from reaching.share import Share, share
from reaching.suites import read, written_down

RECIPES = Path(__file__).resolve().parents[1] / "recipes"
ARGUMENTS = {"bf16_trainer": ["--config", str(RECIPES / "bf16_trainer/configs/sound")]}
MACHINES = {"bf16_trainer": "h100"}
TURNS = (0.0, 1.0, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One program to be checked, where its sources are, and with what."""

    name: str
    script: Path
    machine: str
    args: tuple[str, ...] = ()


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What --reach comes to, and what it takes.")
    parser.add_argument("--only", metavar="NAMES", help="only these programs, with commas between")
    parser.add_argument("--turns", type=int, default=1, metavar="N", help="how often each is measured (1)")
    parser.add_argument("--missed", action="store_true", help="list what is neither run nor named")
    return parser.parse_args()


def wanted(folder: Path, only: str | None) -> Iterator[Wanted]:
    """The correct programs, written into a folder, and the recipes."""
    names = only.split(",") if only else None
    chosen = [one for one in programs() if names is None or one.name in names]
    for one in warm(chosen):
        yield Wanted(name=one.name, script=one.write(folder / one.name), machine=one.machine)
    for script in sorted(RECIPES.glob("*/train.py")):
        name = script.parent.name
        if names is None or name in names:
            args, machine = ARGUMENTS.get(name, ()), MACHINES.get(name, "v100")
            yield Wanted(name=name, script=script, machine=machine, args=tuple(args))


def checked(one: Wanted, reach: float, log: Path | None) -> dict[str, Any]:
    """Check it in this process, which ends afterwards."""
    from miscast import machines
    from miscast.box.python import python_box
    from miscast.program.run import run_program
    from miscast.report.judged import judged

    begin = _seconds()
    begun = time.monotonic()
    with python_box(files=True, network="offline") as box, written_down(log) if log else nullcontext():
        trace = run_program(str(one.script), one.args, machines.find(one.machine), box=box, reach=reach)
    report = judged(trace)
    return {
        "cpu": _seconds() - begin,
        "wall": time.monotonic() - begun,
        "found": [f"{f.location.file}:{f.location.line} {f.message}" for f in report.findings],
        "ended": report.ended or report.failed or "",
        "blocks": [
            {"file": b.file, "first": b.first, "last": b.last, "forced": b.forced, "ended": b.ended, "why": b.why,
             "condition": b.condition, "does": b.does}
            for b in report.reach
        ],
    }  # fmt: skip


def _seconds() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in both)


def measured(one: Wanted, folder: Path, turns: int) -> dict[str, Any]:
    """What the three runs show: without, telling, forcing; and a fourth that writes down what began."""
    times: dict[float, list[dict[str, Any]]] = {reach: [] for reach in TURNS}
    for _ in range(turns):
        for reach in TURNS:
            with Peak() as peak:
                run = call(lambda reach=reach: checked(one, reach, None), folder)
            times[reach].append({**run, "mib": peak.mib})
    log = folder / f"{one.name}.log"
    log.touch()
    last = call(lambda: checked(one, 2.0, log), folder)
    begun = read(log)
    parts = [share(file, begun, last["blocks"]) for file in _imported(one.script)]
    alarms = sorted(set(times[2.0][0]["found"]) - set(times[0.0][0]["found"]))
    return {
        "parts": parts,
        "telling": _ratio(times, 1.0, "cpu"),
        "forcing": _ratio(times, 2.0, "cpu"),
        "clock": _ratio(times, 2.0, "wall"),
        "memory": _ratio(times, 2.0, "mib"),
        "alarms": alarms,
        "worse": "" if last["ended"] == times[0.0][0]["ended"] else last["ended"],
        "blocks": last["blocks"],
    }


def _ratio(times: dict[float, list[dict[str, Any]]], reach: float, what: str) -> float:
    least = {turn: min(run[what] for run in runs) for turn, runs in times.items()}
    return float(least[reach] / least[0.0])


def _imported(script: Path) -> list[Path]:
    """The files beside a script that it imports, and those that these do."""
    found = [script]
    for file in found:  # which grows
        tree = ast.parse(file.read_text(encoding="utf-8"))
        names = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
        paths = (script.parent / f"{name}.py" for name in names)
        found += dict.fromkeys(path for path in paths if path.exists() and path not in found)
    return found


def _row(name: str, found: dict[str, Any]) -> str:
    parts: list[Share] = found["parts"]
    lines, ran, named = (sum(getattr(one, key) for one in parts) for key in ("lines", "ran", "named"))
    return (
        f"| {name} | {lines} | {ran} | {named} | {found['telling']:.2f} | {found['forcing']:.2f} "
        f"| {found['clock']:.2f} | {found['memory']:.2f} | {len(found['alarms'])} |"
    )


def main() -> int:
    """Check each program four times, print a row for each, and the sums."""
    told = options()
    rows: list[dict[str, Any]] = []
    print("| program | lines | run | named | telling | forcing | clock | memory | alarms |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for one in list(wanted(folder, told.only)):
            try:
                found = measured(one, folder, told.turns)
            except ChildError as error:
                print(f"{one.name}: {error}", file=sys.stderr)
                continue
            rows.append(found)
            print(_row(one.name, found), flush=True)
            _aside(found, missed=told.missed)
    if not rows:
        return 2
    parts = [part for row in rows for part in row["parts"]]
    lines, reached = sum(part.lines for part in parts), sum(part.ran + part.named for part in parts)
    middle = {what: statistics.median(row[what] for row in rows) for what in ("telling", "forcing", "clock", "memory")}
    print(f"\n{reached / lines:.1%} of {lines:,} lines with tensor work were run or are named; telling takes "
          f"{middle['telling']:.2f} times the processor time (median), forcing {middle['forcing']:.2f}, by the clock "
          f"{middle['clock']:.2f}, and {middle['memory']:.2f} times the memory; "
          f"{sum(len(row['alarms']) for row in rows)} false alarms")  # fmt: skip
    return 0


def _aside(found: dict[str, Any], *, missed: bool) -> None:
    for text in (*found["alarms"], *filter(None, [found["worse"]])):
        print(f"  {text}", file=sys.stderr)
    if missed:
        for part in found["parts"]:
            for text in part.missed:
                print(f"  missed  {text}", file=sys.stderr)
        print(json.dumps(found["blocks"], indent=1), file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
