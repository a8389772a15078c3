"""Recipes, run in this process: for real, on a virtual machine, or after `miscast fix`."""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import shutil
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from miscast.api import check_program
from miscast.fixing.fixes.mend import mend
from miscast.fixing.fixes.writing import write
from miscast.fixing.trials.job import Job

if TYPE_CHECKING:
    from collections.abc import Iterator

    from miscast.core.finding import Finding
    from miscast.fixing.fixes.mend import Mending
    from miscast.report import Report

RECIPES = Path(__file__).parents[2] / "recipes"
ENOUGH = 1800.0
"""Seconds that `fix` may look for changes: what a test asks is what it finds, not how fast this machine is."""


@dataclass(frozen=True)
class Told:
    """A finding, by the text of the lines that it names."""

    op: str
    line: str
    behind: frozenset[str]


def train(program: Path, *args: str, told: str = "loss") -> list[float]:
    """Run a recipe for real; the loss of each step, or what else it tells as a word and a number."""
    return [float(number) for number in re.findall(rf"{told} (\S+)", output(program, *args))]


def output(program: Path, *args: str) -> str:
    """Run a program of a recipe for real; what it printed."""
    printed = io.StringIO()
    with alone(program), contextlib.redirect_stdout(printed):
        sys.argv = [str(program), *args]
        sys.path.insert(0, str(program.parent))
        runpy.run_path(str(program), run_name="__main__")
    return printed.getvalue()


def check(program: Path, *args: str, machine: str, strict: bool = False, batches: int = 2, ranks: int = 0) -> Report:
    """As `miscast check --machine MACHINE PROGRAM ARGS`, with `--ranks` as well."""
    with alone(program), contextlib.redirect_stdout(io.StringIO()):
        return check_program(str(program), args, machine=machine, strict=strict, batches=batches, ranks=ranks)


def fixed(program: Path, *args: str, machine: str, into: Path) -> tuple[Path, Mending]:
    """As `miscast fix --apply`, on a copy of the recipe: the copy's program, and what was done."""
    shutil.copytree(program.parent, into, ignore=shutil.ignore_patterns("__pycache__"))
    copy = into / program.name
    mending = mend(Job(target=str(copy), args=args, machine=machine, strict=False, batches=2), time_limit=ENOUGH)
    write(mending.files)
    return copy, mending


def told(report: Report) -> list[Told]:
    """The findings of a report that are no consequences."""
    return [_told(finding) for finding in report.findings if finding.consequence_of is None]


def _told(finding: Finding) -> Told:
    events = [
        event
        for operand in finding.operands
        if (origin := finding.origin(operand)) is not None
        for event in origin.chain()
        if event.location is not None
    ]
    behind = frozenset(_line(event.location.file, event.location.line) for event in events)
    return Told(finding.op, _line(finding.location.file, finding.location.line), behind)


def _line(file: str, number: int) -> str:
    return Path(file).read_text().splitlines()[number - 1].strip()


@contextlib.contextmanager
def alone(program: Path) -> Iterator[None]:
    """The modules of its folder are this run's alone: another recipe has a `models.py`, and tests have `models/`."""
    argv, path = sys.argv, list(sys.path)
    names = {file.stem for file in program.parent.glob("*.py")}
    others = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            sys.argv, sys.path[:] = argv, path
            for name in names:
                sys.modules.pop(name, None)
            sys.modules.update(others)
