"""Mends a program: its findings together, then what these had hidden, on top of what was found for them."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from ...box.start import apart
from ...core.event import Scopes
from ...core.finding import Edit, Finding, Fix
from ...report import Report
from ...running.program.loading import shared
from ..remedy.change import Change
from ..remedy.diffs import diffs, edited
from ..remedy.proposing import Sources, proposed
from ..trials.job import Job
from ..trials.outcome import Outcome
from ..trials.remembered import Remembered
from ..trials.trials import OutOfTimeError, Trials
from ..trials.worker import SIDE_BY_SIDE
from .attempt import Attempt
from .candidates import Candidates, Effort
from .kinship import lasting
from .merging import merged
from .search import Proof, Search
from .switched_runs import SwitchedRuns

_SLOWER = 10.0  # a trial may take so many times what the program takes as it is
_START = 60.0  # and so many seconds, on a busy machine
OPS = 3_000_000  # that trials may run in all, if nobody says


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """A finding, and the change that mends it. `tried` counts the changes that were tried for it, `refused` do not do.

    The edits of the fix are by the lines of the file with the fixes before it. `changed` has for each file the text
    that its round began with, and that with this change alone. `also` are other findings that are gone with it.
    """

    finding: Finding
    fix: Fix
    reason: str
    tried: int
    changed: Mapping[str, tuple[bytes, bytes]] = field(default_factory=dict)
    also: tuple[Finding, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unfixed:
    """A finding that no change mends, with what was tried: (change, why it does not)."""

    finding: Finding
    tried: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mending:
    """The result of a fix: the reports before and after, and each changed file's old and new bytes.

    `stopped`: what ended the search before all was tried. `long`: whether a run of the program takes long.
    `switches` are what to say on the command line for a run in which nothing is found, as it is; `others` all switches
    of precision that it has, under which fixes are tried too, unless it is long.
    """

    before: Report
    after: Report
    fixed: tuple[Fixed, ...] = ()
    unfixed: tuple[Unfixed, ...] = ()
    files: Mapping[str, tuple[bytes, bytes]] = field(default_factory=dict)
    trials: int = 0
    stopped: str = ""
    long: bool = False
    switches: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def own(self, *parts: Fixed) -> tuple[Edit, ...]:
        """Return what some fixes change of the files as they were, alone; () where they build on others."""
        files: dict[str, bytes] = {}
        for part in parts:
            for path, (old, new) in part.changed.items():
                both = merged(old, [files.get(path, self.files[path][0]), new])
                if both is None:
                    return ()
                files[path] = both
        texts = ((path, self.files[path][0], new) for path, new in files.items())
        return tuple(edit for text in texts for edit in edited(*text))

    def diff(self) -> str:
        """Return all changes as one unified diff, with file names relative to the working directory."""
        return diffs(self.files)


Ask = Callable[[Fixed, str], bool]
"""A question whether to keep a fix, given with its own diff."""
Say = Callable[[str], None]
"""Is told what is being worked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    """Progress callbacks: `say` receives the current work, `tick` is called as time passes.

    `settled` is told of a change that mends a finding, as soon as there is one, and `found` of it again once a run has
    proven it together with the others; `proven` is told then what came of the whole so far. `ask` tells whether to keep
    a fix, before the next finding is looked at.
    """

    ask: Ask | None = None
    say: Say = lambda _: None
    settled: Callable[[Finding, str], None] = lambda _, __: None
    found: Callable[[Fixed], None] = lambda _: None
    proven: Callable[[Mending], None] = lambda _: None
    tick: Callable[[], None] = lambda: None


def mend(
    job: Job, to: Listener = Listener(), *, time_limit: float | None = None
) -> Mending:
    """Look for proven fixes of everything that `miscast check` finds. No file is changed.

    After `time_limit` seconds, or an interrupt, what is proven by then. Raises CannotRunError where there is nothing to
    run, KeyboardInterrupt where the program itself was not yet seen to its end.
    """
    end = None if time_limit is None else time.monotonic() + time_limit
    known = _forking()
    with Trials(job, to.tick, known) as trials:
        trials.end = end
        found = mended(trials, to)
    if not found.files or found.stopped or found.long:
        return found
    to.say("checking the whole once more")
    with Trials(job, to.tick, known) as fresh:
        fresh.end = end
        try:
            last = fresh.one({path: new for path, (_, new) in found.files.items()})
        except (OutOfTimeError, KeyboardInterrupt) as stop:
            return replace(found, stopped=str(stop) or "an interrupt")
    if last.report is not None and _told(last.report) == _told(found.after):
        return replace(found, after=last.report, trials=found.trials + 1)
    # libraries that were there already made a difference
    with Trials(job, to.tick, known) as trials:
        trials.end = end
        return mended(trials, to, warm=False)


def _forking() -> Remembered | None:
    """Have torch here for the workers, which then are forks; None where this process has objects of others already."""
    if not apart():
        return None
    shared()
    return Remembered()


def _told(report: Report) -> tuple[object, ...]:
    found = ((f, f.location) for f in report.findings)
    return report.ended, [(f.rule, f.message, at.file, at.line) for f, at in found]


def mended(trials: Trials, to: Listener = Listener(), *, warm: bool = True) -> Mending:
    """Return the same as `mend`, with an existing worker. `warm`: trials find the program's libraries imported."""
    to.say("checking the program")
    first = trials.one({}, loud=True)
    if first.report is None:
        nothing = Report(machine=trials.job.machine, torch="", ended=first.failed)
        return Mending(before=nothing, after=nothing)
    if not first.report.findings:
        return Mending(before=first.report, after=first.report)
    return mended_after(trials, first, to, warm=warm)


def mended_after(
    trials: Trials, first: Outcome, to: Listener, *, warm: bool = True, ops: int = OPS
) -> Mending:
    """Return the same as `mended`, after a first run. Trials may run about `ops` ops in all."""
    if warm:
        trials.warm(first.modules)
    trials.limit = _START + _SLOWER * first.seconds
    effort = Effort.within(ops, _report(first))
    trials.width = 1 if effort.long else SIDE_BY_SIDE
    return _Mender(trials, first, to, effort).mend()


class _Mender:
    def __init__(
        self, trials: Trials, first: Outcome, to: Listener, effort: Effort
    ) -> None:
        self.trials, self.first, self.now, self.to = trials, first, first, to
        self.effort = effort
        self.files: dict[str, bytes] = {}
        self.original: dict[str, bytes] = {}
        self.fixed: list[Fixed] = []
        self.unfixed: list[Unfixed] = []
        self.given_up: set[tuple[str, ...]] = set()
        self.stopped = ""
        self.switched = SwitchedRuns(trials, run=not effort.long)
        self.switches: tuple[str, ...] = ()

    def mend(self) -> Mending:
        """Fix findings together, until each was tried."""
        while not self.stopped and (left := self._left()):
            wanted = list(map(self._candidates, left[:1] if self.to.ask else left))
            self.to.say(self._progress(wanted))
            settled = partial(self._settled, wanted)
            search = Search(
                self.trials, self.now, wanted, self.files, settled, self.switched.broken
            )
            proof = search.proof()
            self.stopped = search.stopped
            before = len(self.fixed)
            if proof is not None:
                self._take(wanted, proof, search.along)
                self.to.proven(self._mending())
            if not self.stopped:
                nothing = len(self.fixed) == before and self.to.ask is None
                self._give_up(wanted, search.along, nothing=nothing)
        self._look_at_switches()
        return self._mending()

    def _left(self) -> list[Finding]:
        """Return what is not tried, errors first: what mends one must not need a warning's change beside it."""
        causes = _report(self.now).causes
        left = (one for one in causes if lasting(one) not in self.given_up)
        return sorted(left, key=lambda finding: finding.severity != "error")

    def _look_at_switches(self) -> None:
        try:
            self.switches = () if self.stopped else self.switched.working()
        except (OutOfTimeError, KeyboardInterrupt) as stop:
            self.stopped = str(stop) or "an interrupt"

    def _candidates(self, finding: Finding) -> Candidates:
        report = _report(self.now)
        number = report.findings.index(finding)
        scopes, propose = self.now.scopes[number], self._proposed
        return Candidates(number, finding, scopes, propose, effort=self.effort)

    def _proposed(
        self, finding: Finding, scopes: Scopes, changed: Mapping[str, bytes]
    ) -> Sequence[Change]:
        return proposed(finding, scopes, Sources({**self.files, **changed}))

    def _settled(
        self, wanted: Sequence[Candidates], one: Candidates, attempt: Attempt
    ) -> None:
        self.to.settled(one.finding, attempt.candidate.title)
        self.to.say(self._progress(wanted))

    def _progress(self, wanted: Sequence[Candidates]) -> str:
        settled = sum(one.settled and one.best is not None for one in wanted)
        told = f": {wanted[0].finding.message}"
        for best in (one.best for one in wanted if one.best is not None):
            told = f" · so far: {best.candidate.title}"
        return f"{settled + len(self.fixed)} of {len(wanted) + len(self.fixed)} fixed · {self.trials.count} runs{told}"

    def _give_up(
        self, wanted: Sequence[Candidates], along: Mapping[int, int], *, nothing: bool
    ) -> None:
        """Leave what has no fix; all, if `nothing` was fixed."""
        for one in wanted:
            if one.number not in along and (nothing or not one.best):
                self.given_up.add(lasting(one.finding))
                self.unfixed.append(Unfixed(finding=one.finding, tried=one.refused))

    def _take(
        self, wanted: Sequence[Candidates], proof: Proof, along: Mapping[int, int]
    ) -> None:
        """Go on from the changed program, as far as it is wanted."""
        files: dict[str, bytes] = {}
        picked: dict[str, list[bytes]] = defaultdict(list)
        for one in wanted:
            attempt = proof.mended.get(one.number)
            if attempt is None:
                continue
            sources = attempt.candidate.old
            changed: dict[str, tuple[bytes, bytes]] = {}
            for path, data in attempt.candidate.files.items():
                picked[path].append(data)
                both = merged(sources[path], picked[path])
                changed[path] = files.get(path, sources[path]), both or data
            findings = _report(self.now).findings
            also = tuple(findings[n] for n, by in along.items() if by == one.number)
            fixed = self._fixed(one, attempt, changed, also)
            if self.to.ask is not None and not self.to.ask(fixed, diffs(changed)):
                self.given_up.add(lasting(one.finding))
                return
            for path, (_, new) in changed.items():
                self.original.setdefault(path, sources[path])
                files[path] = new
            self.fixed.append(fixed)
            self.to.found(fixed)
        self.files.update(files)
        self.now = self._after(proof)

    def _fixed(
        self,
        one: Candidates,
        attempt: Attempt,
        changed: Mapping[str, tuple[bytes, bytes]],
        also: tuple[Finding, ...],
    ) -> Fixed:
        candidate = attempt.candidate
        changes = [part.change for part in candidate.all]
        reason = next(
            (change.reason for change in changes if not change.safe), changes[-1].reason
        )
        texts = ((path, *both) for path, both in changed.items())
        edits = tuple(edit for text in texts for edit in edited(*text))
        safe = all(change.safe for change in changes)
        fix = Fix(title=candidate.title, safe=safe, verified=True, edits=edits)
        old = candidate.old
        return Fixed(
            finding=one.finding,
            fix=fix,
            reason=reason,
            tried=len(one.attempts),
            refused=one.refused,
            changed={path: (old[path], new) for path, new in candidate.files.items()},
            also=also,
        )

    def _after(self, proof: Proof) -> Outcome:
        """Return the outcome with the current fixes; after a stop, without other changes that were tried."""
        if not self.stopped:
            return proof.outcome
        before = _report(self.now)
        found = enumerate(before.findings)
        causes = ((n, f) for n, f in found if f.consequence_of is None)
        left = tuple(f for n, f in causes if n not in proof.mended)
        return replace(self.now, report=replace(before, findings=left), scopes=())

    def _mending(self) -> Mending:
        files = {path: (self.original[path], data) for path, data in self.files.items()}
        return Mending(
            before=_report(self.first),
            after=_report(self.now),
            fixed=tuple(self.fixed),
            unfixed=tuple(self.unfixed),
            files=files,
            trials=self.trials.count,
            stopped=self.stopped,
            long=self.effort.long,
            switches=self.switches,
            others=self.switched.names,
        )


def _report(outcome: Outcome) -> Report:
    assert outcome.report is not None
    return outcome.report
