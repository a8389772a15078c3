"""Checks of the program with changed source, two at a time, in forks of one process that has torch.

with Trials(job) as trials:
    first = trials.one({})                        # the program as it is; loud: what it prints is seen
    trials.warm(first.modules)                    # from now on a trial costs what the check costs
    for change, outcome in trials.tried(next_change):
        outcome.report                            # None if it did not come to one; `outcome.failed` says why
"""

from __future__ import annotations

import dataclasses
import os
import select
import shutil
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Generic, TypeVar

from ...running.launching.entry import CannotRunError
from ...running.workers.worker import Worker
from .expected import Expected
from .job import Job
from .outcome import Outcome, outcome_of
from .remembered import Remembered
from .worker import SIDE_BY_SIDE

T = TypeVar("T")


class OutOfTimeError(Exception):
    """The time that trials may take is over."""


_PATIENCE = 10.0
"""Times as long as the run may what is forced take where a change is tried: it has to come as far as the check."""

_TICK = 0.2
_FOREVER = 1e9


@dataclass(frozen=True, slots=True)
class Trial(Generic[T]):
    """A change to try: a key of the caller's, the contents of the changed files, and the findings that may show.

    `until`: after so many ops the run is ended, if it has shown nothing else by then. `job` is what to run, where it is
    another. `place`: the op, file and lines of which the numbers are wanted. `written` are files that the program finds
    with these contents, whatever reads them. `said` and `read` are files of this process's that get what the program
    prints, and the paths that it reads.
    """

    key: T
    files: Mapping[str, bytes]
    expected: Sequence[Expected] | None = None
    until: int | None = None
    job: Job | None = None
    place: tuple[str, str, int, int] | None = None
    written: Mapping[str, bytes] = field(default_factory=dict)
    said: str = ""
    read: str = ""


class Trials:
    """Runs trials of a job until its block ends; nothing of it is left then, also after an interrupt."""

    def __init__(
        self,
        job: Job,
        tick: Callable[[], None] = lambda: None,
        known: Remembered | None = None,
    ) -> None:
        """Take the job, without starting a process. `tick` is called several times a second during a wait.

        `known`: this process has torch, or the program's libraries, too, so that the worker is a fork of it, and what
        was answered before needs no run.

        One worker can serve several programs, one after the other: `job` may be set to another. `width` is how many run
        side by side, `limit` the seconds that one may take, `end` when none may run any more (OutOfTimeError then).
        """
        self.job = job
        self.tick = tick
        self._known = known
        self.limit = _FOREVER
        self.width = SIDE_BY_SIDE
        self.end: float | None = None
        self.count = 0
        self._dropped: set[int] = set()
        self._worker: Worker | None = None
        self._warm: dict[str, Any] | None = None
        self._heard: deque[dict[str, Any]] = deque()
        self._scratch = ""

    def __enter__(self) -> Trials:
        if not hasattr(os, "fork"):
            raise CannotRunError(
                "testing fixes needs a system that can fork: use Linux or macOS"
            )
        # of all boxes: who is killed cannot clean up
        self._scratch = tempfile.mkdtemp(prefix="miscast-")
        if self._known is None or not self._known.folder:
            self._begun()  # else once a trial is not known
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._worker is not None:
            self._worker.end()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def mended(self, fixes: Mapping[str, str]) -> Mapping[str, str]:
        """See `Remembered.mended`: of this job."""
        if self._known is None:
            return {}
        return self._known.mended(dataclasses.asdict(self.job), fixes)

    def _begun(self) -> Worker:
        if self._worker is None:
            self._worker = self._spawned()
            if self._warm is not None:
                self._worker.send(self._warm)
        return self._worker

    def _spawned(self) -> Worker:
        given = _duplicate(0)
        job = dataclasses.asdict(self.job)
        module = f"{__package__}.worker"
        order = {"job": job, "scratch": self._scratch, "given": given}
        try:
            if self._known is not None:
                return Worker.fork(module, order)
            descriptors = [given] if given >= 0 else []
            return Worker.spawn(module, order, descriptors=descriptors)
        finally:
            if given >= 0:
                os.close(given)

    def warm(self, modules: tuple[str, ...]) -> None:
        """Import these modules in advance for later trials."""
        self._warm = {"warm": modules, "job": dataclasses.asdict(self.job)}
        if self._worker is not None:
            self._worker.send(self._warm)

    def one(self, files: Mapping[str, bytes], *, loud: bool = False) -> Outcome:
        """Return one trial. `loud`: what the program prints goes to stderr, else nowhere."""
        self._ask(Trial(None, files), loud=loud)
        return self._next()[1]

    def run(self, trial: Trial[T]) -> Outcome:
        """Run this trial, with nothing next to it."""
        waiting = [trial]
        ((_, outcome),) = self.tried(lambda: waiting.pop() if waiting else None)
        return outcome

    def tried(
        self,
        take: Callable[[], Trial[T] | None],
        hopeless: Callable[[T], bool] = lambda _: False,
    ) -> Iterator[tuple[T, Outcome]]:
        """Yield each change with its outcome, in the order in which they were taken, until none is left.

        So what `take` decides by what is known does not depend on which of two runs ends first. It is asked for the
        next when there is room to try it; it may have none before more is known.

        The trial of one that has become `hopeless` is ended, and nothing said of it. Who stops listening early leaves
        trials behind, whose answers are waited for and dropped.
        """
        pending: dict[int, T] = {}
        ended: set[int] = set()
        early: dict[int, Outcome] = {}
        try:
            while True:
                while len(pending) < self.width and (change := take()) is not None:
                    pending[self._ask(change)] = change.key
                if not pending:
                    return
                first = min(pending)
                while first not in early:
                    number, outcome = self._next()
                    early[number] = outcome
                key, outcome = pending.pop(first), early.pop(first)
                if first not in ended:
                    yield key, outcome
                for other in [
                    other
                    for other, key in pending.items()
                    if other not in ended and hopeless(key)
                ]:
                    ended.add(other)
                    if other not in early:
                        self._end(other)
        finally:
            unheard = pending.keys() - early.keys()
            for number in unheard:
                self._end(number)
            self._dropped |= unheard

    def _ask(self, trial: Trial[Any], *, loud: bool = False) -> int:
        self.count += 1
        job = trial.job or self.job
        if trial.job is None and trial.files and job.reach:
            job = dataclasses.replace(job, reach=max(job.reach, _PATIENCE))
        request = {
            "id": self.count,
            "files": _texts(trial.files),
            "written": _texts(trial.written),
            "said": trial.said,
            "read": trial.read,
            "until": trial.until,
            "place": trial.place,
            "limit": self.limit,
            "loud": loud,
            "expected": trial.expected,
            "job": dataclasses.asdict(job),
        }
        answer = self._known.answer(request) if self._known else None
        if answer is not None:
            self._heard.append(answer)
        else:
            request = self._known.asked(request) if self._known else request
            self._begun().send(request)
        return self.count

    def _end(self, number: int) -> None:
        if self._worker is not None:
            self._worker.send({"end": number})

    def _next(self) -> tuple[int, Outcome]:
        said = self._answer()
        while said["id"] in self._dropped:
            self._dropped.remove(said["id"])
            said = self._answer()
        if "cannot" in said:
            raise CannotRunError(said["cannot"])
        return said["id"], outcome_of(said)

    def _answer(self) -> dict[str, Any]:
        """Return the next answer, waited for."""
        while not self._heard:
            assert self._worker is not None
            ready, _, _ = select.select([self._worker], [], [], _TICK)
            self.tick()
            if self.end is not None and time.monotonic() > self.end:
                raise OutOfTimeError("the time limit")
            if ready:
                said = self._worker.heard()
                if said is None:
                    raise CannotRunError("the process that runs the program was killed")
                self._heard.extend(said)
                if self._known is not None:
                    self._known.keep(said)
        return self._heard.popleft()


def _texts(files: Mapping[str, bytes]) -> dict[str, str]:
    return {path: data.decode("latin-1") for path, data in files.items()}


def _duplicate(descriptor: int) -> int:
    try:
        return os.dup(descriptor)
    except OSError:  # closed
        return -1
