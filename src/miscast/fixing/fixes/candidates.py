"""The changes that are tried for one finding, in their order, and the best of those that mended it.

Where no change mends it alone, or none without a loss, those are looked for on top of one that brought it forward:

    shift = torch.zeros(2, 4)           # float32, as `scale`: with either of them changed the sum is float32 still,
    scale = torch.ones(2, 4)            # by the other one
    block(x + shift + scale)            # in a library's code, which is not changed
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

from ...core.event import Scopes
from ...core.finding import Finding
from ...report import Report
from ..remedy.change import Change, Variant
from .attempt import Attempt, Candidate
from .verdict import Moved, Verdict

LONG = 10_000
"""Ops of a run from which on a trial ends behind the finding, and none is begun because another may fail."""
_TRIALS = 3, 60
"""Minimum and maximum of changes to try for one finding."""
_FORK = 4_000
"""So many ops take as long as the process of a trial to begin and to end."""
_MORE = 0, 3
"""So many more are tried once one mends it, but not as well as could be: where a run is long, and else."""
_BEYOND = 1, 6
"""So many more beyond these, where what mends it spells out a dtype or a device."""
_LIKELY = 2
"""First changes whose nicest variant is tried before the safe one. In a long run, all changes."""
_FURTHER = (1, 4), (2, 8)
"""So many changes are gone on from, with so many each: where a run is long, and else."""
_BEARABLE = 1, 0
"""Precision loss that needs no further changes on top of others: in a long run, else."""
_TOGETHER = 3
"""So many at most mend a finding together."""

_LINE = re.compile(r"(?<=\.py):\d+\b")

Propose = Callable[[Finding, Scopes, Mapping[str, bytes]], Sequence[Change]]
"""The changes that might mend a finding, the likeliest first, where files have these bytes."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The number of trials, by counted work, so that it is the same on a busy machine.

    `long`: whether a run of the program takes long. `most`: how many changes may be tried for one finding.
    """

    long: bool
    most: int

    @classmethod
    def within(cls, ops: int, report: Report) -> Effort:
        """Return what trials that run about so many ops in all can do for the findings of a report."""
        least, most = _TRIALS
        each = (report.ops + _FORK) * max(len(report.causes), 1)
        return cls(report.ops >= LONG, min(max(ops // each, least), most))


def without_lines(title: str) -> str:
    """Return a title without the numbers of its lines."""
    return _LINE.sub("", title)


class Candidates:
    """One finding's candidates: it returns the next to try, and receives the results."""

    def __init__(
        self,
        number: int,
        finding: Finding,
        scopes: Scopes,
        propose: Propose,
        *,
        effort: Effort,
    ) -> None:
        self.number, self.finding, self._propose = number, finding, propose
        self.effort, self._thorough = effort, not effort.long
        self._more, self._bearable = _MORE[self._thorough], _BEARABLE[self._thorough]
        self.attempts: list[Attempt] = []
        self.at_work: set[int] = set()
        self._changes = propose(finding, scopes, {})
        self._fresh = self._all(self._changes)
        self._upon = 1
        self._written: set[frozenset[tuple[str, bytes]]] = set()
        self._nicer: Iterator[Candidate] | None = None
        self._index = 0
        self.settled = False
        """True if no trial is left to start or to wait for."""

    @property
    def best(self) -> Attempt | None:
        """The best of those that mend it by now."""
        return min(self._kept, key=lambda attempt: attempt.rank, default=None)

    @property
    def refused(self) -> tuple[tuple[str, str], ...]:
        """Return those that do not mend it, with the reasons."""
        tried = ((a.candidate.title, a.verdict) for a in self.attempts)
        return tuple((title, one.why) for title, one in tried if not one.kept)

    @property
    def _kept(self) -> list[Attempt]:
        return [attempt for attempt in self.attempts if attempt.verdict.kept]

    def next(self) -> Candidate | None:
        """Return the next candidate to try; None if there is none now, or ever."""
        found = self._next()
        if found is not None:
            self.at_work.add(found.index)
        self.settled = not self.at_work
        return found

    def take(self, attempt: Attempt) -> None:
        """Record the result of a trial."""
        self.at_work.discard(attempt.candidate.index)
        self.attempts.append(attempt)

    def refuse(self, attempt: Attempt, why: str) -> None:
        """Reject an attempt. Another is searched for, also among those that it was nearer than."""
        self.attempts[self.attempts.index(attempt)] = replace(
            attempt, verdict=Verdict(kept=False, why=why)
        )
        self.settled, self._nicer = False, None
        self._fresh, self._upon = self._all(self._changes), 1

    def titled(self, title: str) -> Candidate | None:
        """Return a candidate by its title, wherever its line is by now; None if none is called so."""
        for change in self._changes:
            for variant in change.variants:
                if without_lines(variant.title) == title:
                    return next(self._made(change, variant, None), None)
        return None

    def attempt(self, candidate: Candidate) -> Attempt | None:
        """Return its attempt; None if there is none."""
        found = (one for one in self.attempts if one.candidate is candidate)
        return next(found, None)

    def surpasses(self, change: Change) -> bool:
        """Check whether a change is further from the mistake, or loses more, than a best one that fixes it well."""
        best = self.best
        if best is None or not best.good:
            return False
        near = self._near(best.candidate.change) < self._near(change)
        return near or change.precision_loss > best.candidate.precision_loss

    def drop(self, candidate: Candidate) -> None:
        """Forget a candidate without a result."""
        self.at_work.discard(candidate.index)
        self._written.discard(frozenset(candidate.files.items()))

    def _next(self) -> Candidate | None:
        best = self.best
        if self._index >= self.effort.most:
            return None
        found = None if self._enough else next(self._fresh, None)
        if found is None and (best is None or self._leaves_something(best)):
            found = self._further()
        return found if found is not None or best is None else self._nicest(best)

    def _leaves_something(self, best: Attempt) -> bool:
        return best.candidate.precision_loss > self._bearable or best.verdict.follow > 0

    @property
    def _enough(self) -> bool:
        """True if no other of the available changes needs to be tried."""
        kept = [attempt for attempt in self._kept if not attempt.worse]
        if self._upon > 1:
            return any(attempt.candidate.upon is not None for attempt in kept)
        beyond = (
            _BEYOND[self._thorough] if all(one.candidate.literal for one in kept) else 0
        )
        return bool(kept) and self._index >= self._first(kept) + self._more + beyond

    @staticmethod
    def _first(kept: Sequence[Attempt]) -> int:
        return min(attempt.candidate.index for attempt in kept)

    def _further(self) -> Candidate | None:
        """Return a candidate on top of one that made progress, when no other is running."""
        while not self.at_work and self._upon < _TOGETHER:
            firsts = sorted(self._promising(), key=self._promise)
            self._upon += 1
            likely = firsts[: _FURTHER[self._thorough][0]]
            self._fresh = chain.from_iterable(map(self._all_upon, likely))
            found = next(self._fresh, None)
            if found is not None:
                return found
        return None

    def _promising(self) -> list[Attempt]:
        """Return attempts that made progress and lose less precision than the best fix, if that fixes it well."""
        best = self.best
        onward = (a for a in self.attempts if a.then is not None)
        firsts = [a for a in onward if len(a.candidate.all) == self._upon]
        if best is None:
            return firsts
        one = best.candidate
        well = not (best.verdict.follow or one.literal or one.blunt)
        most = one.precision_loss - well
        return [a for a in firsts if a.candidate.precision_loss <= most]

    def _promise(self, first: Attempt) -> tuple[float, ...]:
        """Return an attempt's sort key for building on it: same call first, then precision loss and distance."""
        one = first.candidate
        other = first.then is None or first.then.op != self.finding.op
        return (other, one.precision_loss, one.change.order, one.nicety, one.index)

    def _all_upon(self, first: Attempt) -> Iterator[Candidate]:
        assert first.then is not None
        proposed = self._propose(first.then, first.scopes, first.candidate.files)
        most = first.candidate.precision_loss
        harmless = [change for change in proposed if change.precision_loss <= most]
        # what converts the very operand; others may take the first change back, or come before it
        harmless.sort(key=lambda change: not change.exact)
        yield from self._all(harmless[: _FURTHER[self._thorough][1]], first.candidate)

    def _all(
        self, changes: Sequence[Change], upon: Candidate | None = None
    ) -> Iterator[Candidate]:
        for number, change in enumerate(changes):
            if self.surpasses(change):
                continue
            variants = change.variants[change.first :][:1]
            if change.first > 0 and (number < _LIKELY or not self._thorough):
                variants = (change.variants[0], *variants)
            for variant in variants:
                if any(a.candidate.change is change for a in self._kept):
                    break
                yield from self._made(change, variant, upon)

    def _nicest(self, best: Attempt) -> Candidate | None:
        """Return the best change in a nicer variant, if no trial is running and a run is not long."""
        if self.at_work or not self._thorough:
            return None
        if self._nicer is None:
            self._nicer = chain(self._nicer_than(best), self._nicer_below())
        return next(self._nicer, None)

    def _nicer_than(self, best: Attempt) -> Iterator[Candidate]:
        tried = {id(attempt.candidate.variant) for attempt in self.attempts}
        for variant in best.candidate.nicer:
            if id(variant) not in tried:
                yield from self._made(
                    best.candidate.change, variant, best.candidate.upon
                )

    def _nicer_below(self) -> Iterator[Candidate]:
        """Yield the best change on top of a nicer variant of its base."""
        best = self.best
        below = best.candidate.upon if best is not None else None
        attempt = self.attempt(below) if below is not None else None
        if best is None or below is None or attempt is None or attempt.then is None:
            return
        title = best.candidate.variant.title
        for variant in below.nicer:
            for nicer in self._made(below.change, variant, below.upon):
                changes = self._propose(attempt.then, attempt.scopes, nicer.files)
                pairs = ((change, one) for change in changes for one in change.variants)
                same = (pair for pair in pairs if pair[1].title == title)
                for change, one in islice(same, 1):
                    yield from self._made(change, one, nicer)

    def _made(
        self, change: Change, variant: Variant, upon: Candidate | None
    ) -> Iterator[Candidate]:
        data, path = variant.write(), change.source.path
        below, old = ({}, {}) if upon is None else (upon.files, upon.old)
        # nothing changes, or a change is taken back
        if data in (None, change.source.data, old.get(path)):
            return
        files = frozenset({**below, path: data}.items())
        if files in self._written:
            return
        self._written.add(files)
        self._index += 1
        moved = Moved.between(path, change.source.data, data)
        yield Candidate(
            change=change,
            variant=variant,
            data=data,
            index=self._index,
            moved=moved,
            upon=upon,
        )

    def _near(self, change: Change) -> int:
        """Return a change's distance from the mistake, less its priority in a long program."""
        return change.order - (0 if self._thorough else change.priority)
