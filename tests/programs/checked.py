"""Run a program, on a virtual machine or for real, and say what came of it."""

from __future__ import annotations

import contextlib
import io
import random
import runpy
import sys
import traceback
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from miscast.judging import cause
from miscast.core.machines import find
from miscast.judging.findings.finding_builder import involved
from miscast.running.program.run import run_program
from miscast.report import Report
from miscast.report.judged import judged

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from miscast.core.event import Call, Trace
    from miscast.core.finding import Finding


@dataclass(frozen=True)
class Checked:
    """A trace, and the report on it."""

    trace: Trace
    report: Report

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Those of the report."""
        return self.report.findings

    def call(self, finding: Finding) -> Call | None:
        """The call that a finding is about."""
        place = finding.op, finding.location, finding.operands
        return next((c for c in self.trace.calls if (c.op, c.location, involved(c)) == place), None)

    def blamed(self, finding: Finding) -> str:
        """The name of the operand to blame."""
        call = self.call(finding)
        found = cause.of(call) if call else None
        return found.blamed.name if found else ""

    def origins(self) -> set[int]:
        """The lines behind the blamed operands of the findings that are no consequences."""
        lines = set()
        for finding in self.findings:
            call = self.call(finding)
            found = cause.of(call) if call and finding.consequence_of is None else None
            if found is not None:
                lines |= {event.location.line for event in found.chain if event.location}
        return lines


def check(file: Path, machine: str, *, strict: bool = False) -> Checked:
    """As `miscast check --machine MACHINE FILE`."""
    with _quiet():
        trace = run_program(str(file), (), find(machine))
    assert trace.failed is None, trace.traceback
    return Checked(trace, judged(trace, strict=strict))


def run(file: Path) -> tuple[int, str] | None:
    """Run for real. The line at which the program raised and its message, or None."""
    with _quiet(), _kept():
        try:
            runpy.run_path(str(file), run_name="__main__")
        except SystemExit as exit_:
            return (0, str(exit_.code)) if exit_.code else None
        except Exception as error:  # noqa: BLE001 - whatever it raises is the verdict
            frames = traceback.extract_tb(error.__traceback__)
            lines = [frame.lineno or 0 for frame in frames if frame.filename == str(file)]
            return (lines[-1] if lines else 0), f"{type(error).__name__}: {error}"
    return None


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _kept() -> Iterator[None]:
    dtype, seeds, argv = torch.get_default_dtype(), (torch.get_rng_state(), random.getstate()), sys.argv
    path = list(sys.path)
    try:
        yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_default_device(None)
        torch.set_rng_state(seeds[0])
        random.setstate(seeds[1])
        torch.use_deterministic_algorithms(mode=False)
        sys.argv, sys.path[:] = argv, path
