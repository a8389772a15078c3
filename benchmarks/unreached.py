"""Check whether `check --reach` finds faults that the run does not execute: `make bench-unreached`.

    python benchmarks/unreached.py --programs 100             that many faults, other ones each time
    python benchmarks/unreached.py --seed 7 --only gan

Faults of `make faults`, which torch rejects, in the programs of `corpus/correct`: each is put behind a condition that
is false in the run, next to the original statement. It is found if it is reported as an error on an explored branch.
Once per program the same is done with a correct statement on both sides: there nothing may be found.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from injury.child import ChildError, call
from injury.hiding import WAYS, hidden
from injury.injury import Injury
from injury.program import Program, programs
from injury.warm import warm
from injury.work import Bench


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Faults where the run does not come by itself.")
    parser.add_argument("--programs", type=int, default=100, metavar="N", help="faults (100)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no further one after so many")
    parser.add_argument("--seed", type=int, help="repeat a run; else another one each time")
    parser.add_argument("--only", metavar="NAMES", help="only these programs, with commas between")
    return parser.parse_args()


def checked(script: Path, machine: str) -> dict[str, Any]:
    """The errors of a check with `--reach 2`, those on forced paths, and what was not forced."""
    from miscast.box.python import python_box
    from miscast.core import machines
    from miscast.report.judged import judged
    from miscast.running.program.run import run_program

    with python_box(files=True, network="offline") as box:
        report = judged(run_program(str(script), (), machines.find(machine), box=box, reach=2.0))
    errors = [one for one in report.findings if one.severity == "error"]
    forced = [one for one in errors if any("forced" in place.label for place in one.related)]
    blocks = [f"{one.condition}: {one.ended or one.why or 'forced' * one.forced}" for one in report.reach]
    return {
        "forced": [one.message for one in forced],
        "else": [one.message for one in errors if one not in forced],
        "blocks": blocks,
        "ended": report.ended or report.failed or "",
    }


class Count:
    """What came of the faults so far."""

    def __init__(self) -> None:
        """None made yet."""
        self.made: Counter[str] = Counter()
        self.found: Counter[str] = Counter()
        self.alarms: list[str] = []
        self.missed: list[str] = []

    def fault(self, program: Program, injury: Injury, way: str, said: dict[str, Any]) -> None:
        """One that torch refuses."""
        self.made[way] += 1
        if said["forced"]:
            self.found[way] += 1
        else:
            what = injury.injured.strip()[:70]
            self.missed.append(f"{program.name} {way} {injury.file}:{injury.first} {what} {said}")
            print(self.missed[-1], file=sys.stderr)

    def sound(self, program: Program, way: str, said: dict[str, Any]) -> None:
        """A statement beside itself."""
        self.alarms += [f"{program.name} {way}: {one}" for one in said["forced"] + said["else"]]

    def __str__(self) -> str:
        rows = [f"| {way} | {self.made[way]} | {self.found[way]} |" for way in WAYS]
        made, found = self.made.total(), self.found.total()
        table = "\n".join(["| hidden by | faults | found |", "|---|---|---|", *rows, f"| all | {made} | {found} |"])
        return f"{table}\n\n{found / max(made, 1):.1%} found; {len(self.alarms)} false alarms"


def tried(program: Program, seed: int, wanted: int, count: Count, end: float) -> None:
    """Up to so many faults of one program."""
    rng = random.Random(f"{seed} {program.name}")
    with tempfile.TemporaryDirectory(prefix="unreached-") as place:
        folder = Path(place)
        bench = Bench(program, folder)
        calm = True
        for injury, _, _ in bench.injured(4 * wanted, rng):
            way = rng.choice(list(WAYS))
            source = hidden(injury, way)
            if source is None:
                continue
            count.fault(program, injury, way, _said(program, injury, source, folder))
            if calm:
                same = Injury(**{**_parts(injury), "injured": injury.original, "source": _mended(injury)})
                text = hidden(same, way)
                if text is not None:
                    count.sound(program, way, _said(program, same, text, folder))
                    calm = False
            wanted -= 1
            if not wanted or time.monotonic() > end:
                return


def _parts(injury: Injury) -> dict[str, Any]:
    return {name: getattr(injury, name) for name in Injury.__slots__}


def _mended(injury: Injury) -> str:
    lines = injury.source.splitlines()
    whole = [*lines[: injury.first - 1], *injury.original.splitlines(), *lines[injury.last :]]
    return "\n".join(whole) + "\n"


def _said(program: Program, injury: Injury, source: str, folder: Path) -> dict[str, Any]:
    script = program.having(injury.file, source).write(folder / "hidden")
    said: dict[str, Any] = call(lambda: checked(script, program.machine), script.parent)
    return said


def main() -> int:
    """Hide faults, check, count, print."""
    told = options()
    seed = random.SystemRandom().randrange(1 << 32) if told.seed is None else told.seed
    print(f"seed {seed}", file=sys.stderr)
    names = told.only.split(",") if told.only else None
    sound = warm([one for one in programs() if names is None or one.name in names])
    random.Random(seed).shuffle(sound)
    end, count = time.monotonic() + told.seconds, Count()
    each = -(-told.programs // max(len(sound), 1))
    for program in sound:
        if count.made.total() >= told.programs or time.monotonic() > end:
            break
        try:
            tried(program, seed, each, count, end)
        except (ChildError, AssertionError) as error:
            print(f"{program.name}: {error}"[:300], file=sys.stderr)
        print(f"{count.made.total()} made, {count.found.total()} found, {program.name}", file=sys.stderr, flush=True)
    for line in (*count.missed, *count.alarms):
        print(f"- {line}")
    print(f"\n{count}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
