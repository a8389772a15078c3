"""Worker processes: each does one job at a time; one that dies or falls silent is replaced, and its job handed back."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

START = 180.0
"""Seconds that a worker may take to import torch and its databases."""
_CHUNK = 1 << 16


class ProbeError(Exception):
    """The device cannot be probed; the message is one line."""


@dataclass(frozen=True, slots=True)
class Said:
    """A worker's line about a job."""

    job: dict[str, Any]
    line: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Lost:
    """A worker died over a job, while it was at `at` (an op and its operands), or before it had begun."""

    job: dict[str, Any]
    at: dict[str, Any]


@dataclass(slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    job: dict[str, Any] | None = None
    ready: bool = False
    at: dict[str, Any] = field(default_factory=dict)
    heard: float = field(default_factory=time.monotonic)
    rest: bytes = b""


class Crew:
    """`size` workers for a device; one that says nothing for `silence` seconds is taken for dead."""

    def __init__(self, device: str, sources: Sequence[str], size: int, silence: float) -> None:
        """No process is started yet."""
        self.size, self.silence = size, silence
        self.command = [sys.executable, "-m", f"{__package__}.worker", device, *sources]
        self.head: dict[str, Any] = {}
        self._workers: dict[int, _Worker] = {}
        self._selector = selectors.DefaultSelector()

    def __enter__(self) -> Crew:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for worker in list(self._workers.values()):
            self._end(worker)
        self._selector.close()

    def start(self, deadline: float) -> dict[str, Any]:
        """The first worker's answer about the machine: "head" and "units". Raises ProbeError if there is none."""
        first = self._hire()
        while not first.ready and time.monotonic() < deadline + START:
            for worker in self._heard():
                for _ in self._lines(worker):
                    pass
            if first.process.poll() is not None and not first.ready:
                break
        if not first.ready:
            raise ProbeError("the probe's worker did not start: is torch installed here, with pip's expecttest?")
        return self.head

    def work(self, jobs: deque[dict[str, Any]], deadline: float) -> Iterator[Said | Lost]:
        """What is said while jobs are done; jobs may be added meanwhile. Ends when all are done, or at the deadline."""
        while time.monotonic() < deadline:
            self._employ(jobs)
            busy = [worker for worker in self._workers.values() if worker.job is not None]
            if not busy and not jobs:
                return
            for worker in self._heard():
                yield from self._lines(worker)
            for worker in list(self._workers.values()):
                yield from self._check(worker)

    def abandoned(self) -> list[dict[str, Any]]:
        """The jobs that workers are still at."""
        return [worker.job for worker in self._workers.values() if worker.job is not None]

    def _employ(self, jobs: deque[dict[str, Any]]) -> None:
        for worker in self._workers.values():
            if worker.ready and worker.job is None and jobs:
                worker.job = jobs.popleft()
                worker.at, worker.heard = {}, time.monotonic()
                self._send(worker, worker.job)
        while jobs and len(self._workers) < min(self.size, len(jobs) + len(self._workers)):
            self._hire()

    def _hire(self) -> _Worker:
        process = subprocess.Popen(  # noqa: S603 - this interpreter, this package
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        assert process.stdout is not None
        worker = self._workers[process.pid] = _Worker(process)
        os.set_blocking(process.stdout.fileno(), False)
        self._selector.register(process.stdout, selectors.EVENT_READ, worker)
        return worker

    def _send(self, worker: _Worker, job: dict[str, Any]) -> None:
        assert worker.process.stdin is not None
        try:
            worker.process.stdin.write(json.dumps(job).encode() + b"\n")
        except BrokenPipeError:
            worker.heard = 0.0  # it is dead, and will be found so

    def _heard(self) -> list[_Worker]:
        return [key.data for key, _ in self._selector.select(timeout=0.2)]

    def _lines(self, worker: _Worker) -> Iterator[Said | Lost]:
        assert worker.process.stdout is not None
        data = worker.process.stdout.read(_CHUNK)
        if data == b"":
            yield from self._bury(worker)
            return
        *lines, worker.rest = (worker.rest + (data or b"")).split(b"\n")
        for one in lines:
            worker.heard = time.monotonic()
            line = json.loads(one)
            if "error" in line:
                raise ProbeError(line["error"])
            if "head" in line:
                worker.ready, self.head = True, line
            elif "at" in line:
                worker.at = line
            elif worker.job is not None:
                yield Said(worker.job, line)
                if "done" in line:
                    worker.job = None

    def _check(self, worker: _Worker) -> Iterator[Lost]:
        if worker.job is None and worker.ready:
            return
        if time.monotonic() - worker.heard > (self.silence if worker.ready else START):
            yield from self._bury(worker)

    def _bury(self, worker: _Worker) -> Iterator[Lost]:
        job, at = worker.job, worker.at
        self._end(worker)
        if job is not None:
            yield Lost(job, at)
        elif not worker.ready:
            raise ProbeError("a worker of the probe died while it started")

    def _end(self, worker: _Worker) -> None:
        process = worker.process
        assert process.stdout is not None
        assert process.stdin is not None
        if self._workers.pop(process.pid, None) is None:
            return
        self._selector.unregister(process.stdout)
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
