"""Find contradictory settings in configurations, before anything runs.

Configurations of trainers, launchers and DeepSpeed, scripts, environment files and literal calls in Python are read
together. The report lists settings that contradict each other or that a library rejects or silently overrides, and the
precision that will be in effect:

  error[engine-contradicts-launcher]  accelerate says bf16, DeepSpeed's JSON
  enables fp16
    accelerate.yaml:4:18      mixed_precision: bf16
    and ds_config.json:3:25   "fp16": {"enabled": true}
    help    set fp16.enabled to "auto", and let accelerate fill it
    effect  ValueError: `--mixed_precision` arg cannot be set to `bf16` when
            `fp16` is set in the DeepSpeed config file.

Nothing is executed. Without PATH, all known configuration files below the current folder are read.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from ..core.frozen import replace
from .accounting import accounted, accounting, add_baseline, add_rules, project
from .program import vouched
from .refusal import RefusedError, named, preserved
from .telling import add_format, known_format, tell

if TYPE_CHECKING:
    from ..lint import Outcome
    from ..report import Report
    from ..suppression.accounting import Accounting


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments: what to read, and how to report."""
    # fmt: off
    parser.add_argument("paths", nargs="*", type=named, metavar="PATH",
        help="files and folders (default: the current folder)")
    parser.add_argument("--machine", type=named, metavar="M", help="also check against this hardware: v100, 4xa100, …")
    add_format(parser)
    add_baseline(parser)
    add_rules(parser)
    parser.add_argument("--fix", action="store_true", help="write the safe fixes, preserving comments and order")
    # fmt: on


def run(options: argparse.Namespace) -> int:
    """Return 0 if nothing was found, 1 for findings, 2 if a file could not be read or fixed."""
    from ..lint import lint

    known_format(options)
    by, said = accounting(options, _judged), project(options)
    paths, machine = options.paths or said.paths, options.machine or said.machine
    unfixed = 0
    try:
        outcome = lint(paths, machine)
        if options.fix:
            left = _left(outcome, replace(by, write=None))
            unfixed = _fix(replace(outcome, report=left))
            outcome = lint(paths, machine)
        preserved(options, _read(outcome))
        report = _left(outcome, by)
        told = tell(report, options, sys.stdout)
    except ValueError as error:
        raise RefusedError(error) from error
    for broken in outcome.broken:
        print(f"miscast: {broken}", file=sys.stderr)
    vouched(told)
    found = bool(report.findings) and not options.exit_zero
    return 2 if outcome.broken or unfixed else int(found)


def _judged() -> frozenset[str]:
    from ..lint.rules import known

    return frozenset(rule.name for rule in known())


def _read(outcome: Outcome) -> list[str]:
    return [file for run in outcome.runs for file in run.files]


def _left(outcome: Outcome, by: Accounting) -> Report:
    """Return the report without suppressed findings; its last lines count the others."""
    from ..lint.files import Files

    report = accounted(outcome.report, by, _judged, _read(outcome))
    sections = (
        replace(one, findings=report.findings) if isinstance(one, Files) else one
        for one in report.sections
    )
    return replace(report, sections=tuple(sections))


def _fix(outcome: Outcome) -> int:
    """Write the fixes and report each file that cannot be written; return the number of these. The others are fixed."""
    from ..lint import fixing  # tempfile, and what it imports, only where it is needed

    planned = fixing.safe(outcome.report.findings, outcome.runs)
    unfixed = 0
    for file, fixes in planned.items():
        name = os.path.relpath(file)
        try:
            count = fixing.write(file, fixes)
        except (OSError, fixing.ChangedError) as error:
            why = error.strerror if isinstance(error, OSError) else ""
            said = f"cannot write {name}: {why}" if why else str(error)
            print(f"miscast: {said}", file=sys.stderr)
            unfixed += 1
            continue
        lines = f"{count} line{'' if count == 1 else 's'}"
        print(f"fixed {lines} of {name}", file=sys.stderr)
        for fix in fixes:
            if fix.left:
                print(
                    f"skipped {name}:{fix.line}: another fix changes the same text; run --fix again",
                    file=sys.stderr,
                )
    return unfixed
