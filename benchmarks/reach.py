"""Measure what `check --reach` executes and costs, in correct programs: `make bench-reach`.

    python benchmarks/reach.py                      the correct programs and the recipes
    python benchmarks/reach.py --only gan,unet_train
    python benchmarks/reach.py --wild FOLDER        other packages' scripts, in the environment of benchmarks/wild.py

    | program | lines | run | named | listing | exploring | clock | memory | alarms |

`lines` with tensor work that the program could reach; `run`, in a fork or without; `named`, the others that are listed
with their condition. `listing` and `exploring`: the CPU time of `--reach 1` and `--reach 2`, as ratios to the run
without, in turns; `clock` and `memory`: wall clock and peak memory of all processes with `--reach 2`. An alarm is any
finding on an explored branch, because these programs are correct.
"""

from __future__ import annotations

import argparse
import ast
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from injury.child import ChildError, call
from injury.program import programs
from injury.warm import warm
from reaching.checked import checked
from reaching.memory import Peak
from reaching.official import Run, official
from reaching.share import Share, share
from reaching.suites import read

RECIPES = Path(__file__).resolve().parents[1] / "recipes"
ARGUMENTS = {
    "bf16_trainer": ["--config", str(RECIPES / "bf16_trainer/configs/sound")],
    "vqa_multi_gpu": ["--steps", "2"],  # it has no loader that a check could cut
}
MACHINES = {"bf16_trainer": "h100"}
TURNS = (0.0, 1.0, 2.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """One program to be checked, where its source is, and what checks it: with a reach, and a log of what begins."""

    name: str
    script: Path
    run: Run


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="What --reach comes to, and what it takes.")
    parser.add_argument("--only", metavar="NAMES", help="only these programs, with commas between")
    parser.add_argument("--wild", type=Path, metavar="FOLDER", help="instead: what wild.py has installed there")
    parser.add_argument("--turns", type=int, default=1, metavar="N", help="how often each is measured (1)")
    parser.add_argument("--missed", action="store_true", help="list what is neither run nor named")
    return parser.parse_args()


def wanted(folder: Path, only: str | None) -> Iterator[Wanted]:
    """The correct programs, written into a folder, and the recipes."""
    names = only.split(",") if only else None
    chosen = [one for one in programs() if names is None or one.name in names]
    for one in warm(chosen):
        yield _here(one.name, one.write(folder / one.name), (), one.machine, folder)
    for script in sorted(RECIPES.glob("*/train.py")):
        name = script.parent.name
        if names is None or name in names:
            yield _here(name, script, ARGUMENTS.get(name, ()), MACHINES.get(name, "v100"), folder)


def _here(name: str, script: Path, args: Sequence[str], machine: str, folder: Path) -> Wanted:
    def run(reach: float, log: Path | None) -> dict[str, Any]:
        return dict(call(lambda: checked(script, args, machine, reach, log), folder))

    return Wanted(name=name, script=script, run=run)


def elsewhere(cache: Path, only: str | None) -> Iterator[Wanted]:
    """The scripts of other packages, in their environment."""
    for name, script, run in official(cache):
        if only is None or any(word in name for word in only.split(",")):
            yield Wanted(name=name, script=script, run=run)


def measured(one: Wanted, folder: Path, turns: int) -> dict[str, Any]:
    """What the three runs show: without, listing, exploring; and a fourth that writes down what began."""
    times: dict[float, list[dict[str, Any]]] = {reach: [] for reach in TURNS}
    for _ in range(turns):
        for reach in TURNS:
            with Peak() as peak:
                run = one.run(reach, None)
            times[reach].append({**run, "mib": peak.mib})
    log = folder / "begun.log"
    log.unlink(missing_ok=True)
    log.touch()
    last = one.run(2.0, log)
    begun = read(log)
    parts = [share(file, begun, last["blocks"]) for file in _imported(one.script)]
    alarms = sorted(set(times[2.0][0]["found"]) - set(times[0.0][0]["found"]))
    return {
        "parts": parts,
        "listing": _ratio(times, 1.0, "cpu"),
        "exploring": _ratio(times, 2.0, "cpu"),
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
        f"| {name} | {lines} | {ran} | {named} | {found['listing']:.2f} | {found['exploring']:.2f} "
        f"| {found['clock']:.2f} | {found['memory']:.2f} | {len(found['alarms'])} |"
    )


def main() -> int:
    """Check each program four times, print a row for each, and the sums."""
    told = options()
    rows: list[dict[str, Any]] = []
    print("| program | lines | run | named | listing | exploring | clock | memory | alarms |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for one in list(elsewhere(told.wild, told.only) if told.wild else wanted(folder, told.only)):
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
    ratios = "listing", "exploring", "clock", "memory"
    middle = {name: statistics.median(row[name] for row in rows) for name in ratios}
    print(f"\n{reached / lines:.1%} of {lines:,} lines with tensor work were run or are named; listing takes "
          f"{middle['listing']:.2f} times the CPU time (median), exploring {middle['exploring']:.2f}, by the clock "
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
