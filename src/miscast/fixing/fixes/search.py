"""The search for changes that mend a program's findings: one finding after the other, each on top of what mends others.

In a program that runs for long a change is tried only until some way behind the place of its finding; what is found is
proven at the end, by one run with all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from ..trials.outcome import Outcome, place_of
from ..trials.trials import OutOfTimeError, Trial, Trials
from .attempt import Attempt, Candidate
from .candidates import Candidates, without_lines
from .kinship import akin, lasting
from .merging import together
from .spoiling import may_spoil, spoilt, steady
from .verdict import Lines, Verdict, expected, judged, seen, successor

# of all ops, and ops, that a change is watched behind the finding and its consequences
_MARGIN = (0.1, 200)
_DIGITS = 5  # leading binary digits of the count of these ops


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """One trial: `picks` are the changes in it, by the number of their finding; that of `number` is new.

    With `number` -1 none is: the run shows what is left with all of them, of findings `behind` which it ends.
    """

    picks: Mapping[int, Candidate]
    number: int
    files: Mapping[str, bytes]
    behind: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The result of a verifying run: one attempt per finding, by number, and the files with all of them."""

    mended: Mapping[int, Attempt]
    files: Mapping[str, bytes]
    outcome: Outcome


class Search:
    """A search for fixes of some of a program's findings."""

    def __init__(  # noqa: PLR0913 - what is there, what is wanted, who is told
        self,
        trials: Trials,
        before: Outcome,
        wanted: Sequence[Candidates],
        changed: Mapping[str, bytes],
        found: Callable[[Candidates, Attempt], None] = lambda _, __: None,
        broken: Callable[
            [Mapping[str, bytes], Mapping[str, bytes]], str
        ] = lambda _, __: "",
    ) -> None:
        """Take `changed` files, which differ from the disk; `found` is told of a change as soon as a finding has one.

        `broken` says why files with changes do not do, although the run shows nothing; "" if they do.
        """
        assert before.report is not None
        self.trials, self.wanted, self.changed = trials, wanted, changed
        self.found, self.broken = found, broken
        self.before, self.report = before, before.report
        self.files: dict[str, bytes] = {}
        """The original bytes of changed files."""
        self.long = wanted[0].effort.long
        self.along: dict[int, int] = {}
        """Findings that are gone by what mends others, by their numbers, and of which: the first that ends them."""
        self._last = -1
        self.stopped = ""
        self._told: set[int] = set()
        self._steady: set[int] = set()
        """Findings whose op is given the same numbers in every run, which a change might spoil."""
        self._unseen: set[int] = set()
        """Findings that may be gone by what mends another, whose trial ended before them."""
        self._whole: dict[frozenset[tuple[int, int]], tuple[_Run, Outcome]] = {}

    def proof(self) -> Proof | None:
        """Try until all is settled; what is proven then, or when the time was over or somebody interrupted."""
        try:
            self._steady = self._steadily_given()
            self._recall()
            while True:
                for run, outcome in self.trials.tried(self._next, self._hopeless):
                    self._learn(run, outcome)
                proof = self._proven()
                if proof is None or not self._refuted(proof):
                    fixes = {} if proof is None else proof.mended
                    self.trials.mended(self._titles(fixes))
                    return proof
        except (OutOfTimeError, KeyboardInterrupt) as stop:
            self.stopped = str(stop) or "an interrupt"
            return self._so_far()

    def _titles(self, fixes: Mapping[int, Attempt]) -> dict[str, str]:
        titles = ((n, one.candidate.title) for n, one in fixes.items())
        return {self._what(n): without_lines(title) for n, title in titles}

    def _recall(self) -> None:
        """Try at once what mended these findings in an earlier version of the program."""
        known = self.trials.mended({})
        if not known:
            return
        picks: dict[int, Candidate] = {}
        for one in self.wanted:
            title = known.get(self._what(one.number), "")
            before = one.titled(title) if one.number not in self._steady else None
            if before is not None:
                picks[one.number] = before
                self.files |= before.old
        files = self._together(picks) if picks else None
        if files is None or not self._all_at_once(picks, files):
            for number, candidate in picks.items():
                self._of(number).drop(candidate)

    def _all_at_once(
        self, picks: Mapping[int, Candidate], files: Mapping[str, bytes]
    ) -> bool:
        """Check whether these changes mend their findings, and take them then."""
        run = _Run(picks, -1, files)
        until = self._until(picks.keys()) if self.long else None
        outcome = self.trials.run(self._trial(run, until))
        lines = Lines.between(self.files, files)
        shown = seen(self.report, outcome, lines, mended=picks.keys())
        if shown.clean:
            self._whole[_key(picks)] = run, outcome
        elif not shown.passed or shown.fresh:
            return False
        for number, candidate in picks.items():
            attempt = Attempt(
                candidate=candidate,
                verdict=Verdict(kept=True, ops=shown.ops),
                left=shown.left,
                whole=shown.whole,
                worse=shown.worse,
            )
            self._of(number).take(attempt)
        for number in picks:
            self._of(number).settled = True
            self._settle(self._of(number))
        return True

    def _what(self, number: int) -> str:
        return "\n".join(lasting(self.report.findings[number]))

    def _steadily_given(self) -> set[int]:
        """Return findings with known values that a change could spoil, if another run repeats these values."""
        findings, before = self.report.findings, self.before.before
        numbers = [one.number for one in self.wanted]
        doubtful = [n for n in numbers if may_spoil(findings[n].wanted, before[n])]
        if self.long or not doubtful:
            return set()
        again = self.trials.run(self._trial(_Run({}, -1, {}))).by_place()
        now = {n: again.get(place_of(findings[n]), {}) for n in doubtful}
        return {n for n in doubtful if steady(before[n], now[n])}

    def _next(self) -> Trial[_Run] | None:
        """Return the next trial; None if there is nothing to try before a pending result."""
        if self._unseen:
            return self._left()
        for one in self.wanted:
            if one.number in self.along or one.settled:
                continue
            kept = {n: pick for n, pick in self._kept().items() if n != one.number}
            candidate = one.next()
            if candidate is not None:
                return self._on_top(kept, one.number, candidate)
            # the next finding is looked at on top of what mends this one
            if one.at_work:
                return None
            self._settle(one)
            if self._unseen:
                return self._left()
        return None

    def _on_top(
        self, kept: Mapping[int, Candidate], number: int, candidate: Candidate
    ) -> Trial[_Run]:
        """Return a trial of a candidate on top of other fixes."""
        self.files = {**candidate.old, **self.files}
        picks = {**kept, number: candidate}
        files = self._together(picks)
        if files is None:  # it changes what another fix has changed: by itself, then
            picks, files = {number: candidate}, candidate.files
        until = self._until([number]) if self.long else None
        return self._trial(
            _Run(picks, number, files), until, sampled=number in self._steady
        )

    def _left(self) -> Trial[_Run] | None:
        """Return a run past the last finding that may be gone; None while another is running."""
        if any(one.at_work for one in self.wanted):
            return None
        behind, self._unseen = frozenset(self._unseen), set()
        picks = self._kept()
        files = self._together(picks)
        if files is None:
            return self._next()
        return self._trial(_Run(picks, -1, files, behind), self._until(behind))

    def _trial(
        self, run: _Run, until: int | None = None, *, sampled: bool = False
    ) -> Trial[_Run]:
        """Return a trial of a run; `sampled`: with the numbers that the op of the run's finding is given."""
        lines = Lines.between(self.files, run.files)
        may_show = expected(self.report, lines, but=self._mended(run))
        place = None
        if sampled:
            file, line = self._place(run.number)
            place = self.report.findings[run.number].op, file, *lines.range(file, line)
        return Trial(run, {**self.changed, **run.files}, may_show, until, place=place)

    def _mended(self, run: _Run) -> set[int]:
        """Return findings that must not show again: those that other changes in it mend."""
        return (run.picks.keys() | self.along.keys()) - {run.number}

    def _until(self, numbers: Collection[int]) -> int | None:
        """After how many ops changes for findings have shown what they do; None where that is seen at the end."""
        findings = enumerate(self.report.findings)
        places = [n for n, f in findings if n in numbers or f.consequence_of in numbers]
        seen_at = (self.before.at[place] for place in places)
        at = [ops for ops in seen_at if ops is not None]
        if len(at) < len(places):
            return None
        last = max(at) + int(self.report.ops * _MARGIN[0]) + _MARGIN[1]
        # the same with a cast more or less, so that a trial is known again after another fix
        return last | (1 << last.bit_length()) - 1 >> _DIGITS

    def _settle(self, one: Candidates) -> None:
        """Record that a finding has a fix, or none; others may be gone with it."""
        best = one.best
        if best is None or one.number in self._told:
            return
        self._told.add(one.number)
        self._last = one.number
        self.found(one, best)
        open_ = [other for other in self.wanted if other.best is None]
        others = {other.number: other.finding for other in open_ if other is not one}
        if best.whole:
            self._goes_along(others.keys() - best.left)
        else:
            first, by = one.finding, best.candidate
            kin = {n for n, other in others.items() if akin(first, by, other)}
            self._unseen = kin - self.along.keys()

    def _goes_along(self, numbers: Collection[int]) -> None:
        self.along = dict.fromkeys(numbers, self._last) | self.along

    def _kept(self) -> dict[int, Candidate]:
        """Return the best candidate of each finding."""
        return _candidates(self._best())

    def _best(self) -> dict[int, Attempt]:
        """Return the best attempts, except for findings already gone."""
        left = (one for one in self.wanted if one.number not in self.along)
        return {one.number: one.best for one in left if one.best is not None}

    def _together(self, picks: Mapping[int, Candidate]) -> dict[str, bytes] | None:
        files = [file for one in picks.values() for file in one.files.items()]
        return together(self.files, files)

    def _hopeless(self, run: _Run) -> bool:
        """Check whether a running trial cannot matter any more, and then drop it."""
        if run.number < 0:
            return False
        one = self._of(run.number)
        if not one.surpasses(run.picks[run.number].change):
            return False
        one.drop(run.picks[run.number])
        return True

    def _of(self, number: int) -> Candidates:
        return next(one for one in self.wanted if one.number == number)

    def _learn(self, run: _Run, outcome: Outcome) -> None:
        lines = Lines.between(self.files, run.files)
        shown = seen(
            self.report, outcome, lines, target=run.number, mended=self._mended(run)
        )
        if shown.clean:
            self._whole[_key(run.picks)] = run, outcome
        if run.number < 0:
            if not shown.fresh and not shown.fault:
                self._goes_along(run.behind - shown.left)
            return
        verdict = judged(self.report, run.number, shown, lines)
        if verdict.kept and run.number in self._steady:
            why = spoilt(self.before.before[run.number], outcome.numbers)
            verdict = Verdict(kept=False, why=why) if why else verdict
        next_ = successor(self.report, run.number, outcome, lines)
        then, scopes = (None if verdict.kept else next_) or (None, {})
        mended, here = self._kept(), self._place(run.number)
        others = shown.left - {run.number}
        attempt = Attempt(
            candidate=run.picks[run.number],
            verdict=verdict,
            left=shown.left,
            whole=shown.whole,
            worse=shown.worse,
            near=sum(self._place(n) == here or n in mended for n in others),
            then=then,
            scopes=scopes,
        )
        self._of(run.number).take(attempt)

    def _place(self, number: int) -> tuple[str, int]:
        here = self.report.findings[number].location
        return here.file, here.line

    def _proven(self) -> Proof | None:
        """Return a whole run with only the best change of each; if they conflict, with as many as fit."""
        kept = self._best()
        proof = self._run(kept)
        if proof is not None or len(kept) < 2:
            return proof
        chosen: dict[int, Attempt] = {}
        for number, attempt in kept.items():
            one = self._run({**chosen, number: attempt})
            if one is not None:
                chosen, proof = {**chosen, number: attempt}, one
        return proof

    def _refuted(self, proof: Proof) -> bool:
        """Check whether a verified change is wrong, and reject it."""
        why = self._why(proof.mended)
        if not why:
            return False
        alone = {n: self._why({n: attempt}) for n, attempt in proof.mended.items()}
        out = [number for number in alone if alone[number]] or list(alone)[-1:]
        for number in out:
            self._of(number).refuse(proof.mended[number], alone[number] or why)
            self._told.discard(number)
        self.along.clear()
        return True

    def _why(self, mended: Mapping[int, Attempt]) -> str:
        files = self._together(_candidates(mended))
        old = {**self.files, **self.changed}
        return "" if files is None else self.broken(old, {**self.changed, **files})

    def _run(self, kept: Mapping[int, Attempt]) -> Proof | None:
        picks = _candidates(kept)
        files = self._together(picks)
        if not kept or files is None:
            return None
        known = self._whole.get(_key(picks))
        outcome = (
            known[1]
            if known is not None
            else self.trials.run(self._trial(_Run(picks, -1, files)))
        )
        if seen(
            self.report, outcome, Lines.between(self.files, files), mended=picks.keys()
        ).clean:
            return Proof(mended=kept, files=files, outcome=outcome)
        return None

    def _so_far(self) -> Proof | None:
        """Return the current fixes, each tried on top of those before it, though not all to the program's end."""
        kept = self._best()
        files = self._together(_candidates(kept))
        if not kept or files is None:
            return None
        return Proof(mended=kept, files=files, outcome=self.before)


def _candidates(kept: Mapping[int, Attempt]) -> dict[int, Candidate]:
    return {number: attempt.candidate for number, attempt in kept.items()}


def _key(picks: Mapping[int, Candidate]) -> frozenset[tuple[int, int]]:
    return frozenset((number, one.index) for number, one in picks.items())
