"""Search from float32 down: try each move alone, then add the cheapest moves until the budgets hold.

A move's price is the error that it adds for what it saves, of memory and of time, as shares of those in float32.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..core.machines import Machine
from ..fixing.trials.trials import OutOfTimeError
from .fitting.candidate import FLOAT32, Candidate
from .moves import THRIFTY, Move, moves
from .point import Budget, Point
from .saving import Saving, saving
from .trying import Trying

_BITS = {"bf16-true": 3.0, "16-true": 2.0, "bf16-mixed": 1.5, "16-mixed": 1.0}
"""The risk of each precision, if no error is measured."""


@dataclass(slots=True)
class Search:
    """`chosen` is the plan, or else `nearest`; `stopped` says why it went no further, if it did not."""

    trying: Trying
    budget: Budget
    machine: Machine
    kept: Mapping[str, str] = field(default_factory=dict)
    end: float | None = None
    ranks: int = 1
    stopped: str = ""
    untried: Sequence[str] = ()
    proven: bool = False

    def run(self) -> None:
        """Try candidates until none is left; after an interrupt or the time limit, what is known is kept."""
        self.trying.end = self.end
        try:
            with self.trying.on():
                self._run()
        except KeyboardInterrupt:
            self.stopped = "interrupted"
        except OutOfTimeError as error:
            self.stopped = f"{error} was reached"

    def _run(self) -> None:
        self.trying.as_it_is()
        base = Candidate(precisions=self._start())
        (whole,) = self.trying.tried([base])
        more = self._more(whole)
        own = moves(self.trying.components, self.machine, self.kept)
        self._in_order(base, whole, [*own, *more.first])
        self._prove(whole)
        near = self.nearest
        if self.chosen is None and near is not None:
            self._over(near.candidate, more.last)
            self._prove(whole)

    def _more(self, whole: Point) -> Saving:
        more = saving(self.trying.shown(whole), self.machine, self.ranks)
        self.untried = more.untried
        return more

    def _over(self, near: Candidate, more: Sequence[Move]) -> None:
        """Try the costly moves on top of the nearest candidate, if nothing else fits."""
        wanted = [move.of(replace(near, states="")) for move in more]
        self.trying.tried([one for one in wanted if one.possible])

    def _in_order(
        self, base: Candidate, whole: Point, possible: Sequence[Move]
    ) -> None:
        """Try each move alone, then the cheapest on top of each other."""
        alone = self.trying.tried([one.of(base) for one in possible])
        priced = sorted(
            (self._price(whole, point, move), number, move)
            for number, (move, point) in enumerate(zip(possible, alone, strict=True))
            if not point.out and self._saves(whole, point) > 0
        )
        last = self._down(base, whole, [move for _, _, move in priced])
        less = [  # what came after one may have made it needless
            replace(last, **{name: none})  # type: ignore[arg-type]
            for name, none in THRIFTY.items()
            if getattr(last, name) != none
        ]
        self.trying.tried(less)

    def _prove(self, whole: Point) -> None:
        """Verify the plan by a check that follows its value ranges; a finding rejects it."""
        while (chosen := self.chosen) is not None:
            found = self.trying.proof(chosen, whole)
            if not found:
                self.proven = True
                return
            self.trying.points[chosen.candidate.key] = replace(chosen, out=found)

    def _start(self) -> dict[str, str]:
        names = [one["name"] for one in self.trying.components]
        return {name: self.kept.get(name, FLOAT32) for name in names}

    def _down(self, base: Candidate, whole: Point, priced: Sequence[Move]) -> Candidate:
        """Return the last accepted candidate, each move tried on top of the one before."""
        now, candidate = whole, base
        for move in priced:
            if self.budget.fits(now) and now.error is None:
                break  # without an error that is known, no more is risked than must be
            wanted = move.of(candidate)
            if not wanted.possible:
                continue
            (point,) = self.trying.tried([wanted])
            if point.out or not self.budget.right(point):
                continue
            if self._saves(now, point) > 0 or self.budget.fits(point):
                now, candidate = point, wanted
        return candidate

    def _price(self, whole: Point, point: Point, move: Move) -> float:
        saves = self._saves(whole, point)
        if point.error is not None and whole.error is not None:
            added = max(point.error - whole.error, 1e-9)
        else:
            added = _BITS.get(move.precision, 0.5)
        return added / saves

    @staticmethod
    def _saves(before: Point, after: Point) -> float:
        """Return the savings of memory and of forecast time, as shares of what they were."""
        memory = (before.peak - after.peak) / before.peak if before.peak else 0.0
        was, now = before.seconds, after.seconds
        seconds = (was - now) / was if was and now is not None else 0.0
        return memory + seconds

    @property
    def chosen(self) -> Point | None:
        """The fastest fitting point, by the forecast; without a known error, the one with the least risk."""
        fit = [
            one
            for one in self.trying.points.values()
            if self.budget.fits(one) and not one.candidate.as_it_is
        ]
        return min(fit, key=self._rank, default=None)

    @staticmethod
    def _rank(point: Point) -> tuple[float, ...]:
        risk = 0.0 if point.error is not None else _risk(point.candidate)
        return (risk, point.seconds or 0.0, point.error or 0.0, float(point.peak))

    @property
    def nearest(self) -> Point | None:
        """The point with the least memory, among those within the error limit if there are any."""
        tried = self.trying.points.values()
        able = [one for one in tried if not one.out and not one.candidate.as_it_is]
        able = [one for one in able if self.budget.right(one)] or able
        return min(able, key=lambda one: one.peak, default=None)


def _risk(candidate: Candidate) -> float:
    return sum(_BITS.get(said, 0.0) for said in candidate.precisions.values())
