"""Mends a program: finding by finding, each on top of what was found for those before it."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from ..finding import Edit, Finding, Fix
from ..report import Report
from .search import Attempt, Search
from .trials import Outcome, Trials
from .worker import Job

_SLOWER = 5.0  # a trial may take so many times what the program takes as it is
_START = 20.0  # and so many seconds, on a busy machine


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """A finding, and the change that mends it. `tried` counts the changes that were tried for it."""

    finding: Finding
    fix: Fix
    reason: str
    tried: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfixed:
    """A finding that no change mends, with what was tried: (change, why it does not)."""

    finding: Finding
    tried: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mending:
    """What came of it: the program's report before and after, and each changed file with its bytes then and now."""

    before: Report
    after: Report
    fixed: tuple[Fixed, ...] = ()
    unfixed: tuple[Unfixed, ...] = ()
    files: Mapping[str, tuple[bytes, bytes]] = field(default_factory=dict)
    trials: int = 0

    def diff(self) -> str:
        """All changes as one unified diff, its files named as from the working directory."""
        return "".join(diff(path, old, new) for path, (old, new) in sorted(self.files.items()))


Ask = Callable[[Fixed, str], bool]
"""Whether to keep a fix: it is given with its own diff."""
Say = Callable[[str], None]
"""Is told what is being worked at."""


def mend(
    job: Job, *, ask: Ask = lambda _, __: True, say: Say = lambda _: None, tick: Callable[[], None] = lambda: None
) -> Mending:
    """Look for proven fixes of everything that `miscast check` finds. No file is changed.

    Raises CannotRunError where there is nothing to run.
    """
    with Trials(job, tick) as trials:
        found = mended(trials, ask=ask, say=say)
    if not found.files:
        return found
    say("checking the whole once more")
    with Trials(job, tick) as fresh:
        last = fresh.one({path: new for path, (_, new) in found.files.items()})
    if last.report is not None and _told(last.report) == _told(found.after):
        return replace(found, after=last.report, trials=found.trials + 1)
    with Trials(job, tick) as trials:  # libraries that were there already made a difference
        return mended(trials, ask=ask, say=say, warm=False)


def _told(report: Report) -> tuple[object, ...]:
    return (report.ended, [(f.rule, f.message, f.location.file, f.location.line) for f in report.findings])


def mended(
    trials: Trials, *, ask: Ask = lambda _, __: True, say: Say = lambda _: None, warm: bool = True
) -> Mending:
    """As `mend`, with a worker that is there already. `warm`: its trials find the program's libraries imported."""
    say("checking the program")
    first = trials.one({}, loud=True)
    if first.report is None:
        nothing = Report(machine=trials.job.machine, torch="", ended=first.failed)
        return Mending(before=nothing, after=nothing)
    if not first.report.findings:
        return Mending(before=first.report, after=first.report)
    if warm:
        trials.warm(first.modules)
    trials.limit = _START + _SLOWER * first.seconds
    return _Mender(trials, first, ask, say).mend()


class _Mender:
    def __init__(self, trials: Trials, first: Outcome, ask: Ask, say: Say) -> None:
        self.trials, self.first, self.now = trials, first, first
        self.ask, self.say = ask, say
        self.files: dict[str, bytes] = {}
        self.original: dict[str, bytes] = {}
        self.fixed: list[Fixed] = []
        self.unfixed: list[Unfixed] = []
        self.given_up: set[tuple[str, ...]] = set()

    def mend(self) -> Mending:
        """Finding by finding, until none is left that has not been tried."""
        while left := [finding for finding in _report(self.now).causes if _key(finding) not in self.given_up]:
            finding = left[0]
            self.say(f"{len(left)} to mend: {finding.message}")
            search = Search(self.trials, self.now, self.files, self.first.seconds)
            best = search.best(finding)
            if best is None or not self._take(finding, best, len(search.attempts)):
                self.given_up.add(_key(finding))
            if best is None:
                tried = tuple((a.spelling.title, a.verdict.why) for a in search.attempts)
                self.unfixed.append(Unfixed(finding=finding, tried=tried))
        files = {path: (self.original[path], data) for path, data in self.files.items()}
        return Mending(
            before=_report(self.first),
            after=_report(self.now),
            fixed=tuple(self.fixed),
            unfixed=tuple(self.unfixed),
            files=files,
            trials=self.trials.count,
        )

    def _take(self, finding: Finding, best: Attempt, tried: int) -> bool:
        """Go on from the changed program, if it is wanted."""
        change = best.change
        edits = tuple(edited(change.source.path, change.source.data, best.data))
        fix = Fix(title=best.spelling.title, safe=change.safe, verified=True, edits=edits)
        fixed = Fixed(finding=finding, fix=fix, reason=change.reason, tried=tried)
        if not self.ask(fixed, diff(change.source.path, change.source.data, best.data)):
            return False
        self.original.setdefault(change.source.path, change.source.data)
        self.files[change.source.path] = best.data
        self.now = best.outcome
        self.fixed.append(fixed)
        return True


def _report(outcome: Outcome) -> Report:
    assert outcome.report is not None
    return outcome.report


def diff(path: str, old: bytes, new: bytes) -> str:
    """A unified diff of one file."""
    name = os.path.relpath(path)
    name = path.lstrip("/") if name.startswith("..") else name
    before, after = (data.decode("utf-8", "surrogateescape").splitlines(keepends=True) for data in (old, new))
    told = difflib.unified_diff(before, after, f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in told)


def edited(path: str, old: bytes, new: bytes) -> list[Edit]:
    """The edits that make one text of a file the other, by lines of the first."""
    before, after = (data.decode("utf-8", "surrogateescape").splitlines() for data in (old, new))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return [
        Edit(file=path, start_line=begin + 1, end_line=end, replacement="\n".join(after[to:until]))
        for tag, begin, end, to, until in matcher.get_opcodes()
        if tag != "equal"
    ]


def _key(finding: Finding) -> tuple[str, ...]:
    """What stays of a finding when lines above it come and go."""
    return (finding.rule, finding.message, finding.location.file, finding.location.function, finding.location.code)
