"""Fixes for a report that is about to be told: as many as can be proven in the time, each by a run of the program.

report = advised(job, first, seconds=4.0)
report.findings[0].fixes[0].verified      # True: the check was run again with it, and the finding was gone
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from ...box.job import NET
from ...core.finding import Finding, Fix
from ...report import Report
from ...running.launching.entry import CannotRunError
from ..remedy.advice import beside, changed_lines
from ..trials.job import Job
from ..trials.outcome import Outcome
from ..trials.remembered import Remembered
from ..trials.trials import OutOfTimeError, Trials
from .mend import OPS, Fixed, Listener, Mending, mended_after

_OPS = 100_000  # that trials may run in all, or as many as lets each finding have three


def advised(  # noqa: PLR0913 - what was run, and how far to go
    job: Job,
    first: Outcome,
    told: Callable[[Report], None] = lambda _: None,
    *,
    seconds: float | None = None,
    tick: Callable[[], None] = lambda: None,
    known: Remembered | None = None,
) -> Report:
    """Return the report of a run, with the fixes that could be proven before those that were not tried.

    How many are tried depends on how many ops the run has, or else, if somebody says `seconds`, on the time. In a
    program that takes long a trial ends some way behind the finding. The edits of a fix are by the lines of the files
    as they are. An interrupt ends the trials, and what is proven by then stays; `told` gets the report each time that
    more is. `known` is that of `Trials`.
    """
    report = first.report
    assert report is not None
    so_far = [report]

    def proven(done: Mending) -> None:
        so_far.append(_with_proven(so_far[0], done))
        told(so_far[-1])

    try:
        with Trials(job, tick, known) as trials:
            least, slower = NET
            limit = least + slower * first.seconds if seconds is None else seconds
            trials.end = time.monotonic() + limit
            ops = _OPS if seconds is None else OPS
            listener = Listener(tick=tick, proven=proven)
            done = mended_after(trials, first, listener, ops=ops)
    except (CannotRunError, OutOfTimeError, KeyboardInterrupt):
        return so_far[-1]
    report = _with_proven(report, done)
    if done.stopped and seconds is None:
        note = f"not all fixes were tried: stopped by {done.stopped}"
        report = replace(report, notes=(*report.notes, note))
    return report


def _with_proven(report: Report, done: Mending) -> Report:
    """Return the report with the fixes that are proven by now."""
    switches = [
        Fix(title=f"run it with {switch}", verified=True) for switch in done.switches
    ]
    proven = _proven(report, done)
    tried = [(one.finding, one.tried) for one in done.unfixed]
    tried += [(one.finding, one.refused) for one in done.fixed]
    failed = {id(finding): dict(several) for finding, several in tried}
    roots = _roots(report, done)
    findings: list[Finding] = []
    for number, finding in enumerate(report.findings):
        fix, vain = proven.get(number), failed.get(id(finding), {})
        left = tuple(one for one in finding.fixes if one.title not in vain)
        root = roots.get(number, finding.consequence_of)
        fixes = left if left or fix else _insufficient(finding.fixes, vain)
        rest = replace(finding, fixes=fixes, consequence_of=root)
        findings.append(_with(rest, fix, switches))
    return replace(report, findings=tuple(findings))


def _insufficient(fixes: Sequence[Fix], vain: Mapping[str, str]) -> tuple[Fix, ...]:
    """Return the nearest of edits that were all tried in vain, in words: with what it leads to."""
    order = sorted(fixes, key=lambda one: not vain[one.title].startswith("then "))
    titles = (f"{o.title} was tried, but is not enough: {vain[o.title]}" for o in order)
    return tuple(Fix(title=one, insufficient=True) for one in titles)[:1]


def _roots(report: Report, done: Mending) -> dict[int, int]:
    """Return the finding that each one follows from: moving a tensor, or changing its line, ends both."""
    numbers = _numbers(report)
    roots: dict[int, int] = {}
    found = list(enumerate(report.findings))
    for one in done.fixed:
        first, root = one.finding, numbers.get(id(one.finding), len(numbers))
        line = {(first.location.file, first.location.line)}
        at_call = line == changed_lines(done.own(one))
        for other in one.also:
            n = numbers.get(id(other), -1)
            same = at_call or first.about == "device" or _fault(first) == _fault(other)
            # a warning is never the cause of an error
            if n > root and same and first.severity in ("error", other.severity):
                follow = (k for k, f in found if f.consequence_of == n)
                roots |= dict.fromkeys((n, *follow), root)
    return roots


def _numbers(report: Report) -> dict[int, int]:
    return {id(finding): number for number, finding in enumerate(report.findings)}


def _proven(report: Report, done: Mending) -> dict[int, Fix]:
    """Return what mends each finding and all that follows from it, by its number in the first report.

    What had to be changed in a later round, for its consequences, is part of it.
    """
    numbers = _numbers(report)
    later = [one for one in done.fixed if id(one.finding) not in numbers]
    proven: dict[int, Fix] = {}
    for one in reversed(done.fixed):
        for finding in (one.finding, *one.also):
            number = numbers.get(id(finding), -1)
            follow = [f for f in report.findings if f.consequence_of == number]
            if number >= 0 and not _among(follow, done.after.findings):
                proven[number] = _joint(done, one, later, follow)
    return proven


def _joint(
    done: Mending, one: Fixed, later: Iterable[Fixed], follow: Collection[Finding]
) -> Fix:
    """Return a fix with those of later rounds that what follows from its finding needs."""
    parts = [one, *(part for part in later if _among(follow, [part.finding]))]
    title = ", and ".join(part.fix.title for part in parts)
    safe = all(part.fix.safe for part in parts)
    return Fix(title=title, safe=safe, verified=True, edits=done.own(*parts))


def _fault(finding: Finding) -> tuple[object, ...]:
    """Return what is the same for a library's own mistake, wherever the program calls it."""
    inside = [one.location for one in finding.related if one.label == "in"]
    return finding.message, finding.wanted, inside or finding.location


def _among(follow: Iterable[Finding], findings: Collection[Finding]) -> bool:
    """Check whether one of a finding's consequences is among findings of a changed program."""
    known = {(f.rule, f.op, f.location.file, f.location.function) for f in follow}
    return any(
        (f.rule, f.op, f.location.file, f.location.function) in known for f in findings
    )


def _with(finding: Finding, fix: Fix | None, switches: Sequence[Fix]) -> Finding:
    """Put what fixes the requested run before another run: a user has a reason for `--dtype fp16`."""
    if finding.consequence_of is not None:
        return finding
    if fix is None:
        return replace(finding, fixes=(*switches, *finding.fixes))
    first, *others = beside(fix, finding.fixes, finding.wanted)
    return replace(finding, fixes=(first, *switches, *others))
