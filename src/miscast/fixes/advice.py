"""Fixes for a report that is about to be told: as many as can be proven in the time, each by a run of the program.

report = advised(job, first, seconds=4.0)
report.findings[0].fixes[0].verified      # True: the check was run again with it, and the finding was gone
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..finding import Finding, Fix
from ..launching.entry import CannotRunError
from ..report import Report
from ..trials.job import Job
from ..trials.outcome import Outcome
from ..trials.trials import OutOfTimeError, Trials
from .mend import Fixed, Listener, mended_after


def advised(
    job: Job, first: Outcome, *, seconds: float, tick: Callable[[], None] = lambda: None
) -> Report:
    """The report of a run, with the fixes that could be proven within `seconds` before those that were not tried.

    In a program that takes long a trial ends some way behind the finding. The edits of a fix are by the lines of the
    files as they are. An interrupt ends the trials, not the report.
    """
    report = first.report
    assert report is not None
    try:
        with Trials(job, tick) as trials:
            trials.end = time.monotonic() + seconds
            done = mended_after(trials, first, Listener(tick=tick))
    except (CannotRunError, OutOfTimeError, KeyboardInterrupt):
        return report  # what was found stands, without
    switches = [
        Fix(title=f"run it with {switch}", verified=True) for switch in done.switches
    ]
    by_finding = {id(one.finding): one for one in done.fixed}
    findings = tuple(
        _with(finding, by_finding.get(id(finding)), switches)
        for finding in report.findings
    )
    return replace(report, findings=findings)


def _with(finding: Finding, fixed: Fixed | None, switches: Sequence[Fix]) -> Finding:
    """What mends the run that was asked for comes before another run: who says `--dtype fp16` has a reason."""
    if finding.consequence_of is not None:
        return finding
    mended = []
    if fixed is not None:
        mended.append(
            Fix(
                title=fixed.fix.title,
                safe=fixed.fix.safe,
                verified=True,
                edits=fixed.own,
            )
        )
    return replace(finding, fixes=(*mended, *switches, *finding.fixes))
