"""The changes that are tried for one finding, in their order, and the best of those that mended it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..finding import Finding
from .change import Change, Spelling
from .verdict import Moved, Verdict

TRIALS = 60
"""At most so many changes are tried for one finding."""
_MORE = 0, 3
"""So many more are tried once one mends it, but not as well as could be: where a run is long, and else."""
_LIKELY = 2
"""Of so many changes, of all where a run is long, the nicest spelling is tried before the one that is sure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A change in one spelling: the file's bytes with it, and its place in the order of a finding's candidates."""

    change: Change
    spelling: Spelling
    data: bytes
    index: int
    moved: Moved

    @property
    def path(self) -> str:
        """The file that it changes."""
        return self.change.source.path

    @property
    def nicety(self) -> int:
        """0 for the nicest spelling."""
        return self.change.spellings.index(self.spelling)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A candidate that was tried, and what came of it.

    `left` are the findings that are still there, as far as the program ran; `whole`: it ran to its end.
    """

    candidate: Candidate
    verdict: Verdict
    left: frozenset[int] = frozenset()
    whole: bool = True

    @property
    def rank(self) -> tuple[float, ...]:
        """The best is the least: what is left, the precision lost, how much is rewritten, how far off, the cost."""
        one, change = self.candidate, self.candidate.change
        cost = self.verdict.ops if self.whole else 0
        return (len(self.left), change.harm, one.moved.lines, change.order, cost, one.nicety, one.index)

    @property
    def good(self) -> bool:
        """Whether only a nearer one could be better: it takes all consequences along, costs nothing, changes a line."""
        return self.verdict.kept and (self.verdict.follow, *self.rank[1:3]) == (0, 0, 1)


class Candidates:
    """For one finding: hands out what is to be tried next, and takes what came of it.

    What is found does not depend on which of two trials side by side ends first: it is settled only when no candidate
    before the best is at work any more.
    """

    def __init__(
        self, number: int, finding: Finding, changes: Sequence[Change], *, patience: float, thorough: bool
    ) -> None:
        """`number` is the finding's in its report; `patience` seconds after the first none is tried any more.

        `thorough`: where a trial costs little, more are tried once one mends it.
        """
        self.number, self.finding, self.changes = number, finding, changes
        self._thorough, self._more = thorough, _MORE[thorough]
        self.attempts: list[Attempt] = []
        self.at_work: dict[int, Candidate] = {}
        self._fresh = self._all(changes)
        self._written: set[bytes] = set()
        self._patience, self._end = patience, float("inf")
        self._nicer: list[Spelling] | None = None
        self._nice: set[int] = set()
        self._index = 0
        self.settled = False
        """Whether nothing more is to be tried, or waited for."""

    @property
    def best(self) -> Attempt | None:
        """The best of those that mend it by now. What is tried only because an earlier one is slow does not count."""
        kept = [attempt for attempt in self.attempts if attempt.verdict.kept]
        if not kept:
            return None
        last = self._first(kept) + self._more
        in_time = (a for a in kept if a.candidate.index <= last or a.candidate.index in self._nice)
        return min(in_time, key=lambda attempt: attempt.rank)

    def next(self) -> Candidate | None:
        """The next to be tried; None where there is none, now or any more."""
        found = self._next()
        if found is not None:
            self.at_work[found.index] = found
        self.settled = not self.at_work
        return found

    def take(self, attempt: Attempt) -> None:
        """What came of one that was at work."""
        self.at_work.pop(attempt.candidate.index, None)
        self.attempts.append(attempt)

    def refuse(self, attempt: Attempt, why: str) -> None:
        """It does not do after all: another is looked for."""
        self.attempts[self.attempts.index(attempt)] = replace(attempt, verdict=Verdict(kept=False, why=why))
        self.settled, self._nicer = False, None

    def attempt(self, candidate: Candidate) -> Attempt | None:
        """What came of it; None where that is not known."""
        return next((attempt for attempt in self.attempts if attempt.candidate is candidate), None)

    def surpasses(self, candidate: Candidate) -> bool:
        """Whether it need not be known any more what comes of one that is at work."""
        best = self.best
        if best is None or candidate.index in self._nice or any(index < best.candidate.index for index in self.at_work):
            return False
        return best.good and self._near(best.candidate.change) < self._near(candidate.change)

    def drop(self, candidate: Candidate) -> None:
        """It will not be known what comes of it."""
        self.at_work.pop(candidate.index, None)

    def _next(self) -> Candidate | None:
        best = self.best
        if self._index == 0:
            self._end = time.monotonic() + self._patience
        if time.monotonic() > self._end or self._index >= TRIALS:
            return None
        if best is None:
            return next(self._fresh, None)
        enough = self._index >= self._first([a for a in self.attempts if a.verdict.kept]) + self._more
        return (None if enough else next(self._fresh, None)) or self._nicest(best)

    @staticmethod
    def _first(kept: Sequence[Attempt]) -> int:
        return min(attempt.candidate.index for attempt in kept)

    def _all(self, changes: Sequence[Change]) -> Iterator[Candidate]:
        for number, change in enumerate(changes):
            best = self.best
            if best is not None and best.good and self._near(change) > self._near(best.candidate.change):
                continue
            spellings = change.spellings[change.first :][:1]
            if change.first > 0 and (number < _LIKELY or not self._thorough):
                spellings = (change.spellings[0], *spellings)
            for spelling in spellings:
                if any(a.verdict.kept and a.candidate.change is change for a in self.attempts):
                    break
                yield from self._made(change, spelling)

    def _nicest(self, best: Attempt) -> Candidate | None:
        """Of the best change a nicer spelling, when no other is at work."""
        if self.at_work:
            return None
        if self._nicer is None:
            tried = {id(attempt.candidate.spelling) for attempt in self.attempts}
            spellings = best.candidate.change.spellings[: best.candidate.nicety]
            self._nicer = [spelling for spelling in spellings if id(spelling) not in tried]
        while self._nicer:
            for candidate in self._made(best.candidate.change, self._nicer.pop(0)):
                self._nice.add(candidate.index)
                return candidate
        return None

    def _made(self, change: Change, spelling: Spelling) -> Iterator[Candidate]:
        data = spelling.write()
        if data is None or data == change.source.data or data in self._written:
            return
        self._written.add(data)
        self._index += 1
        moved = Moved.between(change.source.path, change.source.data, data)
        yield Candidate(change=change, spelling=spelling, data=data, index=self._index, moved=moved)

    def _near(self, change: Change) -> int:
        """How far a change is from the mistake; in a long program, how late it is tried."""
        return change.order - (0 if self._thorough else change.ahead)
