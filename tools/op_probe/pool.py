"""Workers that share out jobs: one that dies or says nothing any more is replaced, and its job handed back.

A worker of a pool says, each as a JSON line:

    {"ready": …}      once, when it can begin
    {"at": …, …}      what it does next, which is known if it dies there; also a sign of life
    {"done": …}       the job is over
    {"error": "…"}    it can do none: WorkerError
    anything else     a result
"""

from __future__ import annotations

import selectors
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from miscast.running.workers.worker import Worker

Message = dict[str, Any]
START = 180.0
"""Seconds that a worker may take until it is ready, to import torch for instance."""
_TICK = 0.2


class WorkerError(Exception):
    """The workers cannot do their work at all; the message is one line."""


@dataclass(frozen=True, slots=True)
class Result:
    """A worker's message about its job. The last has "done"."""

    job: Message
    message: Message

    @property
    def is_last(self) -> bool:
        """True if the job is over."""
        return "done" in self.message


@dataclass(frozen=True, slots=True)
class Crashed:
    """A worker died over a job, or was killed for its silence, while it was `at` something ({}: before it began)."""

    job: Message
    at: Message
    exit_code: int


@dataclass(slots=True)
class _Member:
    worker: Worker
    job: Message | None = None
    ready: Message | None = None
    at: Message = field(default_factory=dict)
    heard: float = field(default_factory=time.monotonic)


class WorkerPool:
    """Up to `size` workers, each made by `spawn`; one that says nothing for `timeout` seconds is taken for dead."""

    def __init__(
        self,
        spawn: Callable[[], Worker],
        size: int,
        timeout: float,
        unstarted: str = "a worker did not start",
    ) -> None:
        """Take the settings, without starting a process. `unstarted` is the error if a worker does not become ready."""
        self.size, self.timeout = size, timeout
        self._spawn, self._unstarted = spawn, unstarted
        self._members: dict[int, _Member] = {}
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for member in list(self._members.values()):
            self._end(member)
        self._selector.close()

    def start(self, deadline: float) -> Message:
        """Return what the first worker says when it is ready. Raises WorkerError if that takes too long, or it dies."""
        first = self._hired()
        while first.ready is None:
            if time.monotonic() > deadline + START:
                raise WorkerError(self._unstarted)
            for member in self._speaking():
                for _ in self._listen(member):
                    pass
        return first.ready

    def work(self, jobs: deque[Message], deadline: float) -> Iterator[Result | Crashed]:
        """Yield what comes of jobs; more may be added meanwhile. Ends when all are done, or at the deadline.

        Raises WorkerError where a worker does not start, or says that it can do nothing.
        """
        while time.monotonic() < deadline and (self.abandoned() or jobs):
            self._share_out(jobs)
            for member in self._speaking():
                yield from self._listen(member)
            for member in list(self._members.values()):
                if self._is_overdue(member):
                    yield from self._bury(member)

    def abandoned(self) -> list[Message]:
        """Return the jobs that workers are still at."""
        return [
            member.job for member in self._members.values() if member.job is not None
        ]

    def _share_out(self, jobs: deque[Message]) -> None:
        for member in self._members.values():
            if member.ready is not None and member.job is None and jobs:
                member.job, member.at, member.heard = (
                    jobs.popleft(),
                    {},
                    time.monotonic(),
                )
                member.worker.send(member.job)
        starting = sum(member.ready is None for member in self._members.values())
        for _ in range(min(self.size - len(self._members), len(jobs) - starting)):
            self._hired()

    def _hired(self) -> _Member:
        member = _Member(self._spawn())
        self._members[member.worker.pid] = member
        self._selector.register(member.worker, selectors.EVENT_READ, member)
        return member

    def _speaking(self) -> list[_Member]:
        return [key.data for key, _ in self._selector.select(timeout=_TICK)]

    def _listen(self, member: _Member) -> Iterator[Result | Crashed]:
        messages = member.worker.heard()
        if messages is None:
            yield from self._bury(member)
        for message in messages or ():
            member.heard = time.monotonic()
            if "error" in message:
                raise WorkerError(message["error"])
            if "ready" in message:
                member.ready = message["ready"]
            elif "at" in message:
                member.at = message
            elif member.job is not None:
                result = Result(member.job, message)
                yield result
                member.job = None if result.is_last else member.job

    def _is_overdue(self, member: _Member) -> bool:
        idle = member.ready is not None and member.job is None
        return not idle and time.monotonic() - member.heard > (
            START if member.ready is None else self.timeout
        )

    def _bury(self, member: _Member) -> Iterator[Crashed]:
        code = self._end(member)
        if member.ready is None:
            raise WorkerError(self._unstarted)
        if member.job is not None:
            yield Crashed(member.job, member.at, code)

    def _end(self, member: _Member) -> int:
        self._selector.unregister(member.worker)
        del self._members[member.worker.pid]
        return member.worker.end()
