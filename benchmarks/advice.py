"""Apply the first fix of each error to programs with one fault, and run them for real: `python benchmarks/advice.py`.

    python benchmarks/advice.py                        120 programs with a fault, other ones each time
    python benchmarks/advice.py --programs 8 --seed 7 --only gan,unet_train
    python benchmarks/advice.py --busy                 with four other processes that keep the cores busy

    |         | programs | with an edit | fixed  | of those marked safe |
    | all     | 120      | 96.7 %       | 95.0 % | 100.0 % of 29        |

The programs and their faults are those of `make faults`. `check` runs as a command with its default options. *Fixed*
is a program that then runs to its end on a CPU or, if its fault is one of devices, has none left on torch's fake
tensors. *Safe* are the programs whose fixes are all marked so.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from edits import applied
from faults import share
from injury import child, devices, real
from injury.injury import Injury
from injury.program import Program, programs
from injury.warm import warm
from injury.work import Bench

_BUSY = "while True: pass"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What became of one program: the first fix, whether it had edits and was called safe, and what torch says then."""

    program: str
    about: str
    title: str = ""
    edited: bool = False
    safe: bool = False
    left: str = "no advice"

    @property
    def mended(self) -> bool:
        """Whether torch has nothing left to say."""
        return self.edited and not self.left


def main() -> int:
    """Injure, check, apply, run, count, print."""
    parser = argparse.ArgumentParser(description="Is the first advice of check right?")
    parser.add_argument("--programs", type=int, default=120, metavar="N", help="injured programs (120)")
    parser.add_argument("--seed", type=int, help="repeat a run; else another one each time")
    parser.add_argument("--only", metavar="NAMES", help="only these programs, with commas between")
    parser.add_argument("--busy", action="store_true", help="with four other busy processes")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", file=sys.stderr)
    wanted = options.only.split(",") if options.only else [one.name for one in programs()]
    sound = warm([one for one in programs() if one.name in wanted])
    counts = share([one.name for one in sound], options.programs, random.Random(seed))
    found: list[Advice] = []
    with _busy() if options.busy else tempfile.TemporaryDirectory():
        for program in sound:
            for one in _advised(program, counts[program.name], seed):
                found.append(one)
                print(json.dumps([one.program, one.title, one.safe, one.left]), file=sys.stderr, flush=True)
    print("\n".join(_table(found)))
    return 0


@contextmanager
def _busy() -> Iterator[None]:
    """Four processes that do nothing but take the cores' time."""
    others = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(4)]
    try:
        yield
    finally:
        for one in others:
            one.kill()


def _advised(program: Program, count: int, seed: int) -> Iterator[Advice]:
    with tempfile.TemporaryDirectory(prefix="advice-") as name:
        bench = Bench(program, Path(name))
        for injury, _, script in bench.injured(count, random.Random(f"{seed} {program.name}")):
            yield _applied(program, injury, script)


def _applied(program: Program, injury: Injury, script: Path) -> Advice:
    """The first advice for a fault, applied, and what torch says then."""
    known = {"program": program.name, "about": injury.about}
    command = [sys.executable, "-m", "miscast", "check", "--machine", program.machine, "--format", "json", script.name]
    told = subprocess.run(command, cwd=script.parent, capture_output=True, text=True, check=False)
    findings = json.loads(told.stdout)["findings"] if told.stdout else []
    errors = [one["fixes"][0] for one in findings if one["severity"] == "error" and one["fixes"]]
    if not errors:
        return Advice(**known)
    known |= {"title": errors[0]["title"], "safe": all(fix["safe"] for fix in errors)}
    if not errors[0]["edits"]:
        return Advice(**known, left="no edit")
    edits = [edit for fix in errors for edit in fix["edits"]]
    for name in {edit["file"] for edit in edits}:
        file = script.parent / name
        text = applied(file.read_text(encoding="utf-8"), [edit for edit in edits if edit["file"] == name])
        file.write_text(text, encoding="utf-8")
    return Advice(**known, edited=True, left=_left(injury, script))


def _left(injury: Injury, script: Path) -> str:
    """What torch says of the program, "" for nothing: on the CPU; on fake tensors of devices, and of nothing else."""
    try:
        if injury.about == "device":
            error = child.call(lambda: devices.run(script), script.parent)
            return error if devices.mixes(error) else ""
        return real.outcome(child.call(lambda: real.run(script), script.parent)).error
    except child.ChildError as error:
        return str(error)


def _table(found: list[Advice]) -> Iterator[str]:
    yield "| | programs | with an edit | fixed | of those marked safe |\n| --- | --- | --- | --- | --- |"
    for kind in ("all", *sorted(Counter(one.about for one in found))):
        some = [one for one in found if kind in ("all", one.about)]
        safe = [one for one in some if one.safe]
        yield (
            f"| {kind} | {len(some)} | {_share(sum(one.edited for one in some), len(some))} | "
            f"{_share(sum(one.mended for one in some), len(some))} | "
            f"{_share(sum(one.mended for one in safe), len(safe))} of {len(safe)} |"
        )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


if __name__ == "__main__":
    sys.exit(main())
