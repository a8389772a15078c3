"""The work for one correct program: check it, injure it, and see what becomes of each injury."""

from __future__ import annotations

import random
import re
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from . import child, devices, fixing, judging, learned, making, real
from .case import Case
from .injury import Injury
from .program import Program

_HALF = ("float16", "bfloat16", "half()")
_GPU = re.compile(r"""(["'])cuda(:\d+)?\1""")
_TRIES = 40  # injuries that are none, per one that is wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Sound:
    """What was found in an uninjured program: nothing, or the check is wrong."""

    program: str
    machine: str
    findings: tuple[str, ...] = ()
    error: str = ""


def work(program: Program, count: int, seed: int, *, mend: bool) -> Iterator[Sound | Case]:
    """The uninjured program on its machine and on the CPU, then up to `count` injured ones."""
    with tempfile.TemporaryDirectory(prefix="faults-") as name:
        folder = Path(name)
        yield from (_sound(program, machine, folder / machine) for machine in (program.machine, "cpu"))
        bench = Bench(program, folder)
        rng = random.Random(f"{seed} {program.name}")
        for injury, truth, script in bench.injured(count, rng):
            yield bench.case(injury, truth, script, mend=mend)


def _sound(program: Program, machine: str, folder: Path) -> Sound:
    script = program.write(folder)
    try:
        data = child.call(lambda: judging.check(script, machine), folder)
    except child.ChildError as error:
        return Sound(program=program.name, machine=machine, error=str(error))
    return Sound(program=program.name, machine=machine, findings=tuple(data["all"]), error=data["ended"])


class Bench:
    """A program with what a real run of it showed."""

    def __init__(self, program: Program, folder: Path) -> None:
        """Run it in a folder, where all that is made of it will stand."""
        self.program, self.folder = program, folder
        script = program.write(folder / "real")
        self.outcome = real.outcome(child.call(lambda: real.run(script), script.parent))
        assert not self.outcome.error, f"{program.name}: {self.outcome.error}"
        names = child.call(lambda: _listed(script), script.parent)
        self.learned = {(file, function, one): frozenset(kinds) for file, function, one, kinds in names}
        self.number = 0

    def injured(self, count: int, rng: random.Random) -> Iterator[tuple[Injury, str, Path]]:
        """Real faults, each kind as likely as any other, with what torch says of them."""
        by_kind: defaultdict[str, list[making.Site]] = defaultdict(list)
        for file, source in self.program.files.items():
            for site in making.sites(file, source, self.learned):
                by_kind[site.change.kind].append(site)
        for _ in range(_TRIES * count):
            if not count or not by_kind:
                return
            kind = rng.choice(sorted(by_kind))
            injury = by_kind[kind].pop(rng.randrange(len(by_kind[kind]))).injury()
            if not by_kind[kind]:
                del by_kind[kind]
            if injury is None:
                continue
            script = self.write(self.program.having(injury.file, injury.source))
            truth = self._truth(injury, script)
            if truth:
                count -= 1
                yield injury, truth, script

    def case(self, injury: Injury, truth: str, script: Path, *, mend: bool) -> Case:
        """Check the injured program, fix it, and run what came of it."""
        begin = time.monotonic()
        known = {name: value for name, value in asdict(injury).items() if name != "source"}
        known.update(program=self.program.name, machine=self.program.machine, truth=truth)
        try:
            told = judging.told(child.call(lambda: judging.check(script, self.program.machine), script.parent))
            found = bool(told.errors)
            known.update(
                message=told.message, story=(*told.story, *told.help), ended=told.ended, found=found,
                named=found and told.names(injury), helped=found and told.helps(injury),
            )  # fmt: skip
            if mend and found:
                known.update(self._mended(script))
        except child.ChildError as error:
            known["crash"] = str(error)
        return Case(**known, seconds=time.monotonic() - begin)

    def _mended(self, script: Path) -> dict[str, Any]:
        said = child.call(lambda: fixing.fix(script, self.program.machine), script.parent, patience=400.0)
        known = {"proven": said["proven"], "titles": tuple(said["titles"]), "diff": said["diff"]}
        known["tried"] = tuple(": ".join(one) for one in said["tried"])
        if said["proven"]:
            injured = {path.name: path.read_text(encoding="utf-8") for path in script.parent.glob("*.py")}
            fixed = {**injured, **said["files"]}
            known["equal"] = fixing.same(self.program, fixed)
            known["good"] = known["equal"] or self.is_as_good(self.on_cpu(replace(self.program, files=fixed)))
        return known

    def on_cpu(self, program: Program) -> real.Outcome:
        """Run it on the CPU, also where a fix wrote the GPU's name down."""
        script = self.write(program)
        for file in script.parent.glob("*.py"):
            text = file.read_text(encoding="utf-8").replace("torch.cuda.is_available()", "True")
            file.write_text(_GPU.sub('"cpu"', text), encoding="utf-8")
        try:
            return real.outcome(child.call(lambda: real.run(script), script.parent))
        except child.ChildError as error:
            return real.Outcome(error=str(error))

    def is_as_good(self, now: real.Outcome) -> bool:
        """Whether a run printed the numbers of the uninjured program, as exactly as that computes."""
        half = any(word in source for source in self.program.files.values() for word in _HALF)
        return real.as_good(self.outcome, now, 3e-2 if half else 1e-3)

    def _truth(self, injury: Injury, script: Path) -> str:
        """What torch says of a fault; empty if it is none."""
        try:
            if injury.about == "dtype":
                outcome = real.outcome(child.call(lambda: real.run(script), script.parent))
                return outcome.error if outcome.of_dtypes else ""
            copy = self.write(self.program.having(injury.file, injury.source))
            error = child.call(lambda: devices.run(copy), copy.parent)
        except child.ChildError:
            return ""
        return error if devices.mixes(error) else ""

    def write(self, program: Program) -> Path:
        """Put a program into a new folder; returns the file to run."""
        self.number += 1
        return program.write(self.folder / str(self.number))


def _listed(script: Path) -> list[list[Any]]:
    seen = learned.watch(lambda: real.run(script), script.parent)
    return [[*key, kinds] for key, kinds in seen.items()]
