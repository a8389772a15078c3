"""Within a worker: each request is served by a fork of it, which has all that was imported before.

    {"id": 3, "limit": 30.0, …}      served by a fork, which is killed after so many seconds
    {"end": 3}                       ends that one, which then has failed
    anything else                    is for the process itself, and done when no fork is at work

A fork says lines, and ends; they are merged to one answer, {"id": 3, "seconds": 0.4, …}. Where nothing that `completes`
an answer was said, it has "failed", which says how the fork ended.
"""

from __future__ import annotations

import json
import os
import select
import time
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import chain
from typing import Any, NoReturn

from .forks import forked, how_ended, killed
from .lines import CHUNK, LineReader, send

Request = dict[str, Any]
_TICK = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fork:
    pid: int
    number: int
    begin: float
    limit: float
    stream: int
    said: list[bytes]

    def hear(self) -> bool:
        """Check whether it has not ended yet."""
        self.said.append(os.read(self.stream, CHUNK))
        return bool(self.said[-1])

    def answer(self) -> dict[str, Any]:
        """Return what it has said; nothing, where it broke off within a line."""
        try:
            lines = map(json.loads, b"".join(self.said).splitlines())
            return dict(chain.from_iterable(line.items() for line in lines))
        except ValueError:
            return {}


class ForkServer:
    """`serve` one fork per request, up to `width` side by side. No fork outlives this process's stdin."""

    def __init__(
        self,
        answers: int,
        run: Callable[[Request, int], NoReturn],
        do: Callable[[Request], None],
        *,
        completes: Collection[str],
        width: int,
    ) -> None:
        """Take `run`, which serves a request in a fork and writes lines to a descriptor, and `do`, for this process."""
        self._answers, self._run, self._do = answers, run, do
        self._completes, self._width = completes, width
        self._requests = LineReader(0)
        self._waiting: deque[Request] = deque()
        self._forks: dict[int, _Fork] = {}

    def serve(self) -> None:
        """Serve until there are no more requests; running forks are killed then."""
        try:
            while self._step():
                pass
        finally:
            for fork in self._forks.values():
                killed(fork.pid)

    def _step(self) -> bool:
        self._begin()
        ready, _, _ = select.select(
            [0, *self._forks], [], [], _TICK if self._forks else None
        )
        for stream in ready:
            if stream == 0:
                if not self._take():
                    return False
            elif stream in self._forks and not self._forks[stream].hear():
                self._answer(self._forks[stream])
        for fork in list(self._forks.values()):
            if time.monotonic() - fork.begin > fork.limit:
                self._answer(fork, f"not finished within {fork.limit:.0f} s")
        return True

    def _begin(self) -> None:
        """Start as many waiting requests as possible."""
        while self._waiting and len(self._forks) < self._width:
            if "id" in self._waiting[0]:
                self._fork(self._waiting.popleft())
            elif self._forks:
                return
            else:
                self._do(self._waiting.popleft())

    def _take(self) -> bool:
        """Hear requests; whether there may be more."""
        requests = self._requests.read()
        for request in requests or ():
            if "end" in request:
                self._end(request["end"])
            else:
                self._waiting.append(request)
        return requests is not None

    def _end(self, number: int) -> None:
        """End a request, which may be running, waiting, or just answered."""
        for fork in [fork for fork in self._forks.values() if fork.number == number]:
            self._answer(fork, "ended")
        for request in [
            request for request in self._waiting if request.get("id") == number
        ]:
            self._waiting.remove(request)
            send(self._answers, {"id": number, "seconds": 0.0, "failed": "ended"})

    def _fork(self, request: Request) -> None:
        reads, writes = os.pipe()
        pid = forked(lambda: self._run(request, writes), without=(reads, self._answers))
        os.close(writes)
        self._forks[reads] = _Fork(
            pid=pid,
            number=request["id"],
            begin=time.monotonic(),
            limit=request["limit"],
            stream=reads,
            said=[],
        )

    def _answer(self, fork: _Fork, failed: str = "") -> None:
        """Say what came of it: `failed`, if it was not waited for."""
        del self._forks[fork.stream]
        os.close(fork.stream)
        status = killed(fork.pid) if failed else os.waitpid(fork.pid, 0)[1]
        said = {} if failed else fork.answer()
        if not failed and not any(key in said for key in self._completes):
            failed = f"the run was killed ({how_ended(status)})"
        seconds = time.monotonic() - fork.begin
        why = {"failed": failed} if failed else {}
        answer = {"id": fork.number, "seconds": seconds, **said, **why}
        send(self._answers, answer)
