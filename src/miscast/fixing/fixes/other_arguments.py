"""A program run with other arguments, too, each time in a fork of a process that has its libraries: one report of all.

report = with_others(job, first, [("--dtype", "fp16")])
report.findings[1].arguments          # ("--dtype", "fp16"): without them it was not found
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace

from ...core.finding import Finding
from ...report import Report
from ...running.launching.entry import CannotRunError
from ..trials.job import Job
from ..trials.outcome import Outcome
from ..trials.remembered import Remembered
from ..trials.trials import Trial, Trials
from .advice import advised


def with_others(  # noqa: PLR0913 - what to run, and how
    job: Job,
    first: Outcome,
    others: Sequence[Sequence[str]],
    told: Callable[[Report], None] = lambda _: None,
    tick: Callable[[], None] = lambda: None,
    *,
    seconds: float | None = 0.0,
    known: Remembered | None = None,
) -> Report:
    """Return the first run's report, with what each further set of arguments shows in addition.

    `told` gets the report after each. Unless `seconds` are 0, fixes of that are tried, as by `advised`, by runs with
    the arguments that show it. An interrupt ends them, not the report: it says which were not run.
    """
    report = first.report
    assert report is not None
    left = list(others)
    try:
        with Trials(job, tick, known) as trials:
            trials.warm(first.modules)
            while left:
                args = (*job.args, *left[0])
                again = replace(job, args=args)
                outcome = trials.run(Trial(None, {}, job=again))
                if seconds != 0 and _shows_more(report, outcome.report):
                    found = advised(
                        again, outcome, seconds=seconds, tick=tick, known=known
                    )
                    outcome = replace(outcome, report=found)
                report = _joined(report, tuple(left.pop(0)), outcome)
                told(report)
    except (CannotRunError, KeyboardInterrupt) as error:
        why = str(error) or "an interrupt"
        notes = (f"not run with {shlex.join(args)}: {why}" for args in left)
        return replace(report, notes=(*report.notes, *notes))
    return report


def _shows_more(known: Report, after: Report | None) -> bool:
    new = after.findings if after is not None else ()
    return any(
        not any(_same(one, finding) for one in known.findings) for finding in new
    )


def _joined(report: Report, args: tuple[str, ...], outcome: Outcome) -> Report:
    """Return the report with another run's findings."""
    said = f"with {shlex.join(args)}"
    after = outcome.report
    if after is None:
        note = f"{said}: {outcome.failed}"
        notes = (*report.notes, note)
        return replace(report, failed=report.failed or note, notes=notes)
    findings = _all_findings(report, after, args)
    more = len(findings) - len(report.findings)
    seen = f"{more} more" if more else "nothing else"
    ended = f", and then {after.ended}" if after.ended else ""
    return replace(
        report,
        findings=findings,
        notes=(*report.notes, f"{said}: {after.ops:,} ops, {seen} found{ended}"),
        ended=report.ended or (f"{said}: {after.ended}" if after.ended else None),
        failed=report.failed or after.failed,
    )


def _all_findings(
    report: Report, after: Report, args: tuple[str, ...]
) -> tuple[Finding, ...]:
    findings = list(report.findings)
    places: list[int] = []  # of each of its findings among all of them
    for finding in after.findings:
        known = [n for n, one in enumerate(findings) if _same(one, finding)]
        if not known:
            root = finding.consequence_of
            root = None if root is None else places[root]
            findings.append(replace(finding, arguments=args, consequence_of=root))
        places.append(known[0] if known else len(findings) - 1)
    return tuple(findings)


def _same(one: Finding, other: Finding) -> bool:
    return _told(one) == _told(other)


def _told(finding: Finding) -> tuple[object, ...]:
    return finding.rule, finding.op, finding.message, finding.location
