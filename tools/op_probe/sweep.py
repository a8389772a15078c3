"""A whole sweep: survey all units, give each kind of call to the unit that makes most of its op's, measure, write.

The survey makes what is measured independent of how many workers there are, and of which is the faster: a table depends
on the machine, torch, and the choice of ops alone, as long as the time suffices.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from miscast.running.workers.worker import Worker

from . import table
from .pool import Crashed, Result, WorkerPool
from .units import SOURCES, chosen

TIMEOUT = 60.0
"""Seconds without a word after which an op is taken to hang."""

_UNSTARTED = "the probe's worker did not start: are torch and expecttest installed?"


@dataclass(slots=True)
class Sweep:
    """A sweep under way, and what came of it so far."""

    device: str
    output: Path
    seconds: float
    workers: int
    ops: Sequence[str] = ()
    sources: Sequence[str] = SOURCES
    timeout: float = TIMEOUT
    watch: Callable[[Callable[[], str]], None] | None = None
    """Is given a function that tells where the sweep is."""
    calls: int = 0
    rows: table.Rows = field(default_factory=table.Rows)
    crashed: set[str] = field(default_factory=set)
    unfinished: set[str] = field(default_factory=set)
    _done: int = 0
    _all: int = 0
    _phase: str = "starting"

    def run(self) -> None:
        """Sweep and write the table, also of what was measured before an interrupt, which is then raised.

        Raises ValueError for an unknown op, WorkerError where the device cannot be probed, OSError where the table
        cannot be written.
        """
        deadline = time.monotonic() + self.seconds
        if self.watch:
            self.watch(
                lambda: f"{self._phase} {self._done}/{self._all}  {self.calls:,} calls"
            )
        with WorkerPool(self._spawn, self.workers, self.timeout, _UNSTARTED) as pool:
            start = pool.start(deadline)
            names = chosen(self.ops, start["units"]) if self.ops else start["units"]
            jobs: deque[dict[str, Any]] = deque()
            try:
                jobs.extend(self._survey(pool, names, deadline))
                self._measure(pool, jobs, deadline)
            finally:
                self.unfinished.update(
                    job["unit"] for job in (*jobs, *pool.abandoned())
                )
                head = {
                    **start["head"],
                    "crashed": sorted(self.crashed),
                    "unfinished": sorted(self.unfinished),
                }
                table.write(self.output, head, self.rows)

    def _spawn(self) -> Worker:
        given = {"device": self.device, "sources": list(self.sources)}
        return Worker.spawn(f"{__package__}.worker", given, silent=True)

    def summary(self) -> str:
        """Return one line: "1,204,332 calls of 1,463 ops, 2 crashed (lobpcg, …), 3 unfinished (…)"."""
        parts = [f"{self.calls:,} calls, {len(self.rows):,} rows"]
        for what, names in (("crashed", self.crashed), ("unfinished", self.unfinished)):
            if names:
                named = sorted(names)
                parts.append(
                    f"{len(names)} {what} ({', '.join(named[:5])}{', …' if len(named) > 5 else ''})"
                )
        return ", ".join(parts)

    def _survey(
        self, pool: WorkerPool, names: Sequence[str], deadline: float
    ) -> list[dict[str, Any]]:
        """Return which unit is to measure what."""
        self._phase, self._all = "surveying", len(names)
        found: dict[str, list[Any]] = {}
        jobs: deque[dict[str, Any]] = deque(
            {"do": "survey", "unit": name} for name in names
        )
        try:
            for event in pool.work(jobs, deadline):
                if isinstance(event, Crashed):
                    self.crashed.add(event.job["unit"])
                elif "kinds" in event.message:
                    found[event.job["unit"]] = event.message["kinds"]
                self._done += isinstance(event, Crashed) or event.is_last
        finally:
            self.unfinished.update(set(names) - set(found) - self.crashed)
        shares = share({name: found[name] for name in names if name in found})
        return [
            {"do": "measure", "unit": unit, "kinds": kinds} for unit, kinds in shares
        ]

    def _measure(
        self, pool: WorkerPool, jobs: deque[dict[str, Any]], deadline: float
    ) -> None:
        self._phase, self._done, self._all = "measuring", 0, len(jobs)
        for event in pool.work(jobs, deadline):
            if isinstance(event, Crashed):
                self._resume(event, jobs)
            elif "answers" in event.message:
                self._take(event)
            self._done += isinstance(event, Result) and event.is_last

    def _take(self, event: Result) -> None:
        line = event.message
        self.calls += line["calls"]
        self.rows.add(line["op"], line["operands"], line["answers"])
        of = (line["op"], line["operands"])
        event.job["kinds"] = [
            kind for kind in event.job["kinds"] if (kind[0], kind[1]) != of
        ]

    def _resume(self, event: Crashed, jobs: deque[dict[str, Any]]) -> None:
        """Lose the op that the worker died at, and do the rest of the job."""
        job, at = event.job, event.at
        if at.get("at") is None:
            self.crashed.add(job["unit"])
            return
        self.crashed.add(at["at"])
        rest = [
            kind
            for kind in job["kinds"]
            if (kind[0], kind[1]) != (at["at"], at["operands"])
        ]
        if rest:
            jobs.append({**job, "kinds": rest})


def share(found: dict[str, Iterable[Any]]) -> list[tuple[str, list[Any]]]:
    """Return each kind of call once: with the unit that makes most kinds of its op and operands.

    The largest shares first.
    """
    units: dict[tuple[str, ...], dict[str, dict[str, list[Any]]]] = {}
    for unit, kinds in found.items():
        for kind in kinds:
            op = units.setdefault((kind[0], *kind[1]), {})
            op.setdefault(unit, {}).setdefault(kind[2], []).append(kind)
    shares: dict[str, list[Any]] = {}
    for by_unit in units.values():
        missing = {signature for kinds in by_unit.values() for signature in kinds}
        while missing:
            unit = max(by_unit, key=lambda name: len(missing & by_unit[name].keys()))
            for signature in sorted(missing & by_unit[unit].keys()):
                shares.setdefault(unit, []).extend(by_unit[unit][signature])
            missing -= by_unit[unit].keys()
    return sorted(shares.items(), key=lambda item: (-len(item[1]), item[0]))
