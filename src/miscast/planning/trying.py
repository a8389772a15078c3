"""Candidates, tried: each on the virtual machine for memory and forecast, and for real, small, for its error.

A candidate that was tried is not tried again. Two run side by side.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import filterfalse
from typing import Any

from ..core.event import MEMORY_KINDS, Memory
from ..fixing.trials.job import Job
from ..fixing.trials.outcome import Outcome
from ..fixing.trials.trials import Trial, Trials
from ..report import Report
from .fitting.candidate import LIBRARIES, Candidate, RealFit, VirtualFit
from .point import Point
from .saving import Shown

_WAITS = "its error was not measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`steps` of the optimizer on the virtual machine; for real, `seeds` runs of `real_steps` with other arguments.

    These are `measure`; None: nothing is run for real.
    """

    steps: int = 2
    measure: Sequence[str] | None = None
    seeds: int = 2
    real_steps: int = 8
    limit: float = 600.0


class Trying:
    """The trials of one program. `points` has all that were tried, in order."""

    def __init__(
        self, job: Job, options: Options, tick: Callable[[str], None] = lambda _: None
    ) -> None:
        """Take the job; `tick` is called with what is in progress, while waiting."""
        self.points: dict[tuple[object, ...], Point] = {}
        self.components: tuple[dict[str, Any], ...] = ()
        self.first: Report | None = None
        self.scaler = "none"
        self.end: float | None = None
        self.unmeasured = "" if options.measure is not None else "no --measure"
        self._job, self._options, self._tell = job, options, tick
        self._modules: tuple[str, ...] = ()
        self._optimizers: tuple[str, ...] = ()
        self._stack = ExitStack()
        self._virtual: Trials | None = None
        self._real: Trials | None = None
        self._known: frozenset[str] = frozenset()
        self._errors: dict[tuple[object, ...], tuple[float | None, str]] = {}
        self._exact: dict[int, Sequence[float]] = {}
        self._proofs: dict[tuple[object, ...], frozenset[str]] = {}
        self._now = ""

    @contextmanager
    def on(self) -> Iterator[Trying]:
        """Start the worker, so that candidates can be tried within the block."""
        with self._stack:
            self._virtual = self._stack.enter_context(Trials(self._job, self._tick))
            self._virtual.limit, self._virtual.end = self._options.limit, self.end
            yield self

    def _tick(self) -> None:
        self._tell(f"{len(self.points)} candidates tried; {self._now}")

    def as_it_is(self) -> Point:
        """Return the program without any change; its components are known then. Raises CannotRunError."""
        ((_, outcome),) = self._ran([Candidate(as_it_is=True)])
        point = self._seen(Candidate(as_it_is=True), outcome)
        self.components = tuple(outcome.fitted.get("components", ()))
        self.first = outcome.report
        self._known = frozenset(point.findings)
        self._optimizers = tuple(outcome.fitted.get("optimizers", ()))
        self.scaler = str(outcome.fitted.get("scaler", "none"))
        self.points[point.candidate.key] = replace(
            point, out=point.out or (point.findings[0] if point.findings else "")
        )
        assert self._virtual is not None
        eight = tuple(f"{name}.optim" for name in self._installed())
        self._virtual.warm((*outcome.modules, *eight))
        self._modules = outcome.modules
        return self.points[point.candidate.key]

    @staticmethod
    def _installed() -> tuple[str, ...]:
        return tuple(name for name in LIBRARIES if find_spec(name) is not None)

    def shown(self, point: Point) -> Shown:
        """Return what can be saved, from the unchanged program and a point that ran."""
        return Shown(
            components=self.components,
            optimizers=self._optimizers,
            share=point.parts.get("optimizer", 0) / point.peak if point.peak else 0.0,
            installed=self._installed(),
        )

    def tried(self, wanted: Sequence[Candidate]) -> list[Point]:
        """Return the point of each candidate, in order."""
        new = [one for one in wanted if one.key not in self.points]
        self._now = "memory and forecast"
        seen = {one.key: self._seen(one, outcome) for one, outcome in self._ran(new)}
        for key, point in seen.items():
            unlike = filterfalse(self._known.__contains__, point.findings)
            out = point.out or next(unlike, "")
            seen[key] = replace(point, out=out)
            # an interrupt leaves it so
            waits = out or ("" if self.unmeasured else _WAITS)
            self.points[key] = replace(point, out=waits)
        for candidate in new:
            self.points[candidate.key] = self._measured(seen[candidate.key])
        return [self.points[one.key] for one in wanted]

    def proof(self, point: Point, base: Point) -> str:
        """Return one line that a check with `--numerics` finds here, and not in `base` or the unchanged program."""
        self._now = "verifying the plan"
        found = self._numerics(point.candidate) - self._known
        return min(found - self._numerics(base.candidate), default="") if found else ""

    def _numerics(self, candidate: Candidate) -> frozenset[str]:
        if candidate.key not in self._proofs:
            assert self._virtual is not None
            job = replace(self._virtually(candidate), numerics=True)
            report = self._virtual.run(Trial(None, {}, job=job)).report
            told = _told(report, warnings=True) if report is not None else ()
            self._proofs[candidate.key] = frozenset(told)
        return self._proofs[candidate.key]

    def _ran(
        self, candidates: Sequence[Candidate]
    ) -> Iterator[tuple[Candidate, Outcome]]:
        """Yield each outcome as it arrives, so that an interrupt keeps the earlier ones."""
        assert self._virtual is not None
        waiting = [self._trial(one) for one in reversed(candidates)]
        return self._virtual.tried(lambda: waiting.pop() if waiting else None)

    def _trial(self, candidate: Candidate) -> Trial[Candidate]:
        return Trial(candidate, {}, job=self._virtually(candidate))

    def _virtually(self, candidate: Candidate) -> Job:
        fit = VirtualFit(candidate=candidate, steps=self._options.steps)
        return replace(self._job, fitted=fit)

    def _seen(self, candidate: Candidate, outcome: Outcome) -> Point:
        report = outcome.report
        refused = (one["refused"] for one in outcome.fitted.get("components", ()))
        out = outcome.failed or next(filter(None, refused), "")
        if report is None:
            return Point(candidate=candidate, out=out or "it did not run")
        point = Point(
            candidate=candidate,
            forecast=outcome.fitted.get("forecast"),
            attention=tuple(outcome.fitted.get("attention", ())),
            out=out or report.failed or report.ended or "",
            findings=tuple(_told(report)),
        )
        if one := _fullest(report.memory):
            parts, at = _parts(one), one.location
            capacity, peak = one.capacity, one.peak
            point = replace(point, peak=peak, capacity=capacity, place=at, parts=parts)
        return point

    def _measured(self, point: Point) -> Point:
        """Return the point with its error; checkpointing and the like reuse the error of the candidate without them."""
        if self.unmeasured or point.out:
            return point
        bare = point.candidate.bare()
        if bare.key not in self._errors:
            self._now = "measuring the error"
            self._errors[bare.key] = self._error(bare)
        error, out = self._errors[bare.key]
        return replace(point, error=error, out=out)

    def _error(self, candidate: Candidate) -> tuple[float | None, str]:
        worst: float | None = None
        for seed in range(self._options.seeds):
            fitted, failed = self._really(candidate, seed)
            if failed:
                if (
                    not self._errors
                ):  # float32 is the first: it does not run here at all
                    self.unmeasured = failed
                    return None, ""
                return None, failed
            error = self._apart(candidate, seed, fitted)
            if fitted["lost"] or error is None:
                return error, str(fitted["lost"]) or "a training loss is not finite"
            worst = max(worst or 0.0, error)
        return worst, ""

    def _apart(
        self, candidate: Candidate, seed: int, fitted: Mapping[str, Any]
    ) -> float | None:
        """Return the distance of a run's losses from float32's; None if one is not finite.

        A twin has the states of the real run, and cannot tell what eight bits of them cost: those runs are held against
        the first, in float32.
        """
        exact = self._exact.setdefault(seed, fitted["exact"])
        error = fitted["error"]
        if candidate.states and error >= 0:
            pairs = zip(fitted["losses"], exact, strict=False)
            away = [abs(value - one) / abs(one) for value, one in pairs if one]
            error = max([error, *away]) if all(map(math.isfinite, away)) else -1.0
        return None if error < 0 else float(error)

    def _really(self, candidate: Candidate, seed: int) -> tuple[Any, str]:
        fit = RealFit(candidate=candidate, steps=self._options.real_steps, seed=seed)
        job = replace(
            self._job,
            machine="cpu",
            args=tuple(self._options.measure or ()),
            measured=fit,
        )
        if self._real is None:
            self._real = self._stack.enter_context(Trials(job, self._tick))
            self._real.limit, self._real.end = self._options.limit, self.end
            self._real.warm(self._modules)
        outcome = self._real.run(Trial(None, {}, job=job))
        return outcome.fitted, outcome.failed or str(outcome.fitted.get("ended", ""))


def _fullest(memory: Sequence[Memory]) -> Memory | None:
    """Return the fullest device, an accelerator if there is any."""
    real = [one for one in memory if not one.device.startswith("cpu")] or list(memory)
    return max(real, key=lambda one: one.peak, default=None)


def _parts(memory: Memory) -> dict[str, int]:
    held = ((kind, getattr(memory, kind)) for kind in MEMORY_KINDS)
    return {kind: size for kind, size in held if size}


def _told(report: Report, *, warnings: bool = False) -> Iterator[str]:
    """Yield the errors found and, with `warnings`, the warnings."""
    for one in report.causes:
        if one.severity == "error" or (warnings and one.severity == "warning"):
            place = one.location
            file = os.path.relpath(place.file) if place.file else "?"
            yield f"{one.message}, at {file}:{place.line}"
