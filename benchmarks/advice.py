"""Apply the first fix of each error to programs with one fault, and run them for real: `python benchmarks/advice.py`.

    python benchmarks/advice.py                        120 programs with a fault, other ones each time
    python benchmarks/advice.py --seed 7 --results out/ --write    go on with what is in out/, then write the table
    python benchmarks/advice.py --programs 8 --seed 7 --only gan,unet_train
    python benchmarks/advice.py --busy                 with four other processes that keep the cores busy

    |         | programs | with an edit | fixed  | same result | if verified     | if safe         |
    | all     | 120      | 100.0 %      | 99.2 % | 99.2 %      | 100.0 % of 101  | 100.0 % of 38   |

The programs and their faults are those of `make faults`. `check` runs as a command with its default options, on the
machine that the program is for. *With an edit* counts programs whose first error has an edit as its first fix; one
without an error, or whose first fix is in words, is not fixed. *Fixed* is a program that then runs to its end on the
CPU, where a GPU's name stands for the CPU, and ends on torch's fake tensors of devices as the program did before the
fault. *Same result* prints the numbers of before the fault, too. *Verified* and *safe* are the programs all of whose
applied fixes are marked so.
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
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path

import page
from edits import applied
from faults import share
from injury import child, devices
from injury.injury import Injury
from injury.program import Program, programs
from injury.warm import warm
from injury.work import Bench

_BUSY = "while True: pass"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What became of one program: the first fix, whether it had edits, and what torch says of the program then.

    `equal` says that it prints the numbers of the program without the fault, `folder` where both programs are kept.
    """

    program: str
    about: str
    kind: str
    place: str
    truth: str
    title: str = ""
    edited: bool = False
    verified: bool = False
    safe: bool = False
    left: str = "no advice"
    equal: bool = False
    folder: str = ""

    @property
    def mended(self) -> bool:
        """Check whether the edits leave no error and make none."""
        return self.edited and not self.left


def main() -> int:
    """Injure, check, apply, run, count, print."""
    options = _options()
    seed = random.SystemRandom().randrange(1 << 32) if options.seed is None else options.seed
    print(f"seed {seed}", file=sys.stderr)
    wanted = options.only.split(",") if options.only else [one.name for one in programs()]
    sound = warm([one for one in programs() if one.name in wanted])
    counts = share([one.name for one in sound], options.programs, random.Random(seed))
    found: list[Advice] = []
    with _busy() if options.busy else nullcontext(), _folder(options.results) as folder:
        for program in sound:
            for one in _advised(program, counts[program.name], seed, folder):
                found.append(one)
                line = f"{one.program}: {one.title} {'' if one.mended else f'NOT FIXED {one.left}'}"
                print(line, file=sys.stderr, flush=True)
    head, *rows = _table(found)
    print(head, *rows, sep="\n")
    if options.write:
        when = f"Measured {page.today()}, torch {version('torch')}, seed {seed}."
        page.write("python benchmarks/advice.py", f"{head}\n{rows[0]}\n\n{when}")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Is the first advice of check right?")
    parser.add_argument("--programs", type=int, default=120, metavar="N", help="injured programs (120)")
    parser.add_argument("--seed", type=int, help="repeat a run; else another one each time")
    parser.add_argument("--only", metavar="NAMES", help="only these programs, with commas between")
    parser.add_argument("--busy", action="store_true", help="with four other busy processes")
    parser.add_argument("--results", metavar="FOLDER", help="keep all programs there; what is there is not run again")
    parser.add_argument("--write", action="store_true", help="put the table into docs/accuracy.md")
    return parser.parse_args()


@contextmanager
def _busy() -> Iterator[None]:
    """Four processes that do nothing but take the cores' time."""
    others = [subprocess.Popen([sys.executable, "-c", _BUSY]) for _ in range(4)]
    try:
        yield
    finally:
        for one in others:
            one.kill()


@contextmanager
def _folder(name: str | None) -> Iterator[Path]:
    """Yield the folder of the results, which is removed afterwards if nobody named it."""
    if name is not None:
        yield Path(name).absolute()
        return
    with tempfile.TemporaryDirectory(prefix="advice-") as made:
        yield Path(made)


def _advised(program: Program, count: int, seed: int, folder: Path) -> Iterator[Advice]:
    """Yield what became of each fault in a program, from an earlier run if that has it all."""
    kept = folder / f"{program.name}-{seed}-{count}.jsonl"
    if not kept.exists():
        own = folder / kept.stem
        bench = Bench(program, own)
        before, rng = _on_devices(bench, program), random.Random(f"{seed} {program.name}")
        found = [_applied(bench, *injured, before) for injured in bench.injured(count, rng)]
        kept.write_text("".join(f"{json.dumps(asdict(one))}\n" for one in found), "utf-8")
    for line in kept.read_text("utf-8").splitlines():
        yield Advice(**json.loads(line))


def _applied(bench: Bench, injury: Injury, truth: str, script: Path, before: str) -> Advice:
    """Apply the first advice for a fault, and say what torch says then."""
    known = {"program": bench.program.name, "about": injury.about, "kind": injury.kind, "truth": truth,
             "place": f"{injury.file}:{injury.first}", "folder": str(script.parent)}  # fmt: skip
    command = [sys.executable, "-m", "miscast", "check", "--machine", bench.program.machine, "--format", "json"]
    told = subprocess.run([*command, script.name], cwd=script.parent, capture_output=True, text=True, check=False)
    (script.parent / "report.json").write_text(told.stdout, "utf-8")
    findings = json.loads(told.stdout)["findings"] if told.stdout else []
    causes = [one for one in findings if one["severity"] == "error" and one["consequence_of"] is None]
    errors = [one["fixes"][0] for one in causes if one["fixes"]]
    if not errors:
        return Advice(**known)
    known |= {"title": errors[0]["title"]} | {name: all(fix[name] for fix in errors) for name in ("safe", "verified")}
    if not errors[0]["edits"]:
        return Advice(**known, left="no edit")
    edits = [edit | {"file": Path(edit["file"]).name} for fix in errors for edit in fix["edits"]]
    sources = {path.name: path.read_text("utf-8") for path in script.parent.glob("*.py")}
    for name in {edit["file"] for edit in edits}:
        sources[name] = applied(sources[name], [edit for edit in edits if edit["file"] == name])
    now = replace(bench.program, files=sources)
    now.write(script.parent / "fixed")
    outcome = bench.on_cpu(now)
    after = _on_devices(bench, now) if not outcome.error else before
    return Advice(
        **known,
        edited=True,
        left=outcome.error or ("" if after == before else after),
        equal=bench.is_as_good(outcome),
    )


def _on_devices(bench: Bench, program: Program) -> str:
    """Return what a program dies of on torch's fake tensors of devices, "" for nothing."""
    script = bench.write(program)
    try:
        return str(child.call(lambda: devices.run(script), script.parent))
    except child.ChildError as error:
        return str(error)


def _table(found: list[Advice]) -> Iterator[str]:
    columns = "", "programs", "with an edit", "fixed", "same result", "if verified", "if safe"
    yield f"| {' | '.join(columns)} |\n{'| --- ' * len(columns)}|"
    for kind in ("all", *sorted(Counter(one.about for one in found))):
        some = [one for one in found if kind in ("all", one.about)]
        verified, safe = [one for one in some if one.verified], [one for one in some if one.safe]
        yield (
            f"| {kind} | {len(some)} | {_share(sum(one.edited for one in some), len(some))} | "
            f"{_share(sum(one.mended for one in some), len(some))} | "
            f"{_share(sum(one.mended and one.equal for one in some), len(some))} | "
            f"{_share(sum(one.mended for one in verified), len(verified))} of {len(verified)} | "
            f"{_share(sum(one.mended for one in safe), len(safe))} of {len(safe)} |"
        )


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


if __name__ == "__main__":
    sys.exit(main())
