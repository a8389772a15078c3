"""The search for a change that mends a finding: propose, try each on the virtual machine, keep the best."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from ..finding import Finding
from .change import Change, Spelling
from .source import Source, UnreadableError
from .spot import Spot, spots
from .trials import Outcome, Scopes, Trial, Trials
from .verdict import Moved, Verdict, expected, judged
from .ways import known

TRIALS = 60
"""At most so many changes are tried for one finding."""
MORE = 3
"""And at most so many more once one mends it, but not as well as could be."""
PATIENCE = 60.0, 20.0
"""Seconds, and multiples of the time that one run takes, after which no further change is tried for a finding."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A change that was tried, and what came of it."""

    change: Change
    spelling: Spelling
    data: bytes
    outcome: Outcome
    verdict: Verdict
    lines: int
    index: int

    @property
    def rank(self) -> tuple[float, ...]:
        """The best is the least: what is left, the precision lost, how much is rewritten, how far off, the cost."""
        verdict, change = self.verdict, self.change
        return (verdict.causes, change.harm, self.lines, change.order, verdict.findings, verdict.ops, self.index)


_HEAD, _NEAR = 2, 40
_Key = tuple[int, Change, Spelling, bytes, Moved]


class Sources:
    """The user's files as they are at this point of the search.

    The places of findings are lines of the user's own, never of a library: no other file is asked for.
    """

    def __init__(self, changed: Mapping[str, bytes]) -> None:
        """`changed` files have these bytes, the others those on disk."""
        self._changed = changed
        self._read: dict[str, Source | None] = {}

    def find(self, path: str) -> Source | None:
        """A file; None for what cannot be read, as the cell of a notebook."""
        if path not in self._read:
            self._read[path] = self._open(path)
        return self._read[path]

    def _open(self, path: str) -> Source | None:
        if path in self._changed:
            return Source(path, self._changed[path])
        try:
            return Source.read(path)
        except UnreadableError:
            return None


def proposed(finding: Finding, scopes: Scopes, sources: Sources) -> list[Change]:
    """Every change that might mend a finding, the likeliest first."""
    found: list[Change] = []
    places = list(spots(finding, scopes))
    for spot in places:
        for way, everywhere in known():
            if everywhere and spot.role in ("use", "caller"):
                for path in dict.fromkeys(place.location.file for place in places):
                    found += _of(way, sources.find(path), spot)
            else:
                found += _of(way, sources.find(spot.location.file), spot)
    found.sort(key=lambda change: (change.harm, change.order - change.ahead))
    harmed = next((change for change in found[_HEAD:] if change.harm == 1 and change.order < _NEAR), None)
    if harmed is not None:  # what the other changes do not mend is seen before all of them are tried
        found.remove(harmed)
        found.insert(_HEAD, harmed)
    return found


def _of(way: Callable[[Source, Spot], Iterator[Change]], source: Source | None, spot: Spot) -> Iterator[Change]:
    return way(source, spot) if source is not None else iter(())


def _nearer(_: int, change: Change, attempt: Attempt) -> bool:
    return change.order <= attempt.change.order


def _earlier(index: int, _: Change, attempt: Attempt) -> bool:
    return index < attempt.index


def _as_good(attempt: Attempt, plain: Attempt) -> bool:
    return attempt.verdict.kept and attempt.rank[:2] <= plain.rank[:2]


class Search:
    """For one finding of a report, on top of the files as they are by now."""

    def __init__(self, trials: Trials, outcome: Outcome, files: Mapping[str, bytes], seconds: float) -> None:
        """`outcome` is that of the program as it is by now; `seconds` is what one run takes."""
        assert outcome.report is not None
        self.trials = trials
        self.report = outcome.report
        self.scopes = outcome.scopes
        self.files = dict(files)
        self.patience = PATIENCE[0] + PATIENCE[1] * seconds
        self.attempts: list[Attempt] = []

    def best(self, finding: Finding) -> Attempt | None:
        """The best change that mends it; None if none does. `attempts` has all that were tried."""
        scopes = self.scopes[self.report.findings.index(finding)]
        changes = proposed(finding, scopes, Sources(self.files))
        first = ((change, change.spellings[change.first]) for change in changes)
        self._try(finding, first, enough=partial(self._ideal, finding), better=_nearer)
        kept = [attempt for attempt in self.attempts if attempt.verdict.kept]
        if not kept:
            return None
        last = min(attempt.index for attempt in kept) + MORE
        kept = [attempt for attempt in kept if attempt.index <= last]  # others were tried where an earlier one was slow
        plain = min(kept, key=lambda attempt: attempt.rank)
        before = len(self.attempts)
        nicer = ((plain.change, spelling) for spelling in plain.change.spellings[: plain.change.first])
        self._try(finding, nicer, enough=lambda attempt: _as_good(attempt, plain), better=_earlier)
        as_good = [attempt for attempt in self.attempts[before:] if _as_good(attempt, plain)]
        return min(as_good, key=lambda attempt: attempt.index, default=plain)

    def _try(
        self,
        finding: Finding,
        wanted: Iterator[tuple[Change, Spelling]],
        *,
        enough: Callable[[Attempt], bool],
        better: Callable[[int, Change, Attempt], bool],
    ) -> None:
        """Try changes in their order until one is `enough`; from then on those alone that could be `better`.

        Which are tried, and so what is found, does not depend on which of two trials side by side ends first.
        """
        end = time.monotonic() + self.patience
        best: Attempt | None = None
        most = TRIALS
        seen = {attempt.data for attempt in self.attempts}

        def texts() -> Iterator[Trial[_Key]]:
            index = 0
            for change, spelling in wanted:
                if index >= most or time.monotonic() > end:
                    return
                if best is not None and not better(index + 1, change, best):
                    continue
                data = spelling.write()
                if data is not None and data != change.source.data and data not in seen:
                    seen.add(data)
                    index += 1
                    moved = Moved.between(change.source.path, change.source.data, data)
                    files = {**self.files, change.source.path: data}
                    key = index, change, spelling, data, moved
                    yield Trial(key, files, expected(self.report, finding, moved))

        def hopeless(key: _Key) -> bool:
            return best is not None and not better(key[0], key[1], best)

        for key, outcome in self.trials.tried(texts(), hopeless):
            attempt = self._attempt(finding, key, outcome)
            self.attempts.append(attempt)
            if attempt.verdict.kept:
                most = min(most, attempt.index + MORE)
            if best is None and enough(attempt):
                best = attempt

    def _attempt(self, finding: Finding, key: _Key, outcome: Outcome) -> Attempt:
        index, change, spelling, data, moved = key
        verdict = judged(self.report, finding, outcome, moved)
        return Attempt(
            change=change, spelling=spelling, data=data, outcome=outcome, verdict=verdict, lines=moved.lines,
            index=index,
        )  # fmt: skip

    def _ideal(self, finding: Finding, attempt: Attempt) -> bool:
        """Whether no later change could be better: it takes all consequences along, costs nothing, changes a line."""
        index = self.report.findings.index(finding)
        follow = sum(other.consequence_of == index for other in self.report.findings)
        least = len(self.report.findings) - 1 - follow
        verdict = attempt.verdict
        return verdict.kept and verdict.findings <= least and attempt.change.harm == 0 and attempt.lines == 1
