"""Build a trace from the messages of a sandbox's processes. It is complete if the program sent it, else partial."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from msgspec import convert

from ..core.event import INTERRUPTED, Effect, Trace
from ..core.failure import Failures
from ..core.meeting import MultiRankTrace
from ..running.launching.entry import CannotRunError
from ..vm.streamed import Seen
from . import ending
from .job import Job

_PAUSE = 9  # times as long as a partial report took, until the next


class Heard:
    """Takes messages, in the order in which they come, and gives what they come to.

    `stopped` is why the program was made to end, `place` where it was when it died; who knows sets them. `refused` is
    why the box could not be made.
    """

    def __init__(
        self, job: Job, partial: Callable[[Trace | MultiRankTrace], None] | None = None
    ) -> None:
        """Start without messages. `partial` is called with what is known, when `grow` finds it to be more."""
        self.stopped = ""
        self.place = ""
        self.refused = ""
        self.failures = Failures()
        self._job = job
        self._partial = partial
        self._seen: dict[int, Seen] = {}
        self._grown = False
        self._next = 0.0
        self._result: Trace | MultiRankTrace | None = None
        self._cannot = ""
        self._status: int | None = None
        self._effects: tuple[Effect, ...] = ()

    def take(self, header: dict[str, Any]) -> None:
        """Add a message of the program's process or the guard. Raises ValueError and KeyError if it is not one."""
        if "saw" in header:
            self._of(int(header.get("rank", 0))).take(header)
            self._grown = self._grown or header["saw"] in ("call", "choice")
        elif "trace" in header:
            self._result = convert(header["trace"], Trace)
        elif "world" in header:
            self._result = convert(header["world"], MultiRankTrace)
        else:
            if "ended" in header:
                self._status = int(header["ended"])
                self._effects = tuple(
                    Effect(kind=kind, what=what) for kind, what in header["effects"]
                )
            self._cannot = str(header.get("cannot", self._cannot))
            self.refused = str(header.get("refused", self.refused))
            if header.get("failed"):
                self.failures = Failures(
                    str(header["failed"]), str(header.get("traceback", ""))
                )

    def grow(self) -> None:
        """Pass on a grown result; for a tenth of the time at most, because each time the whole is passed."""
        begin = time.monotonic()
        if self._partial is None or not self._grown or begin < self._next:
            return
        self._grown = False
        self._partial(self._so_far("the check is still running"))
        self._next = time.monotonic() + _PAUSE * (time.monotonic() - begin)

    def found(self) -> Trace | MultiRankTrace:
        """Return the result, with what the guard found, and what failed.

        Raises CannotRunError if there was nothing to run.
        """
        if self._cannot:
            raise CannotRunError(self._cannot)
        result = self._whole()
        first = result if isinstance(result, Trace) else result.traces[0]
        failed = first.failed or self.failures.line
        text = first.traceback + self.failures.traceback
        first = replace(
            first,
            effects=(*self._effects, *first.effects),
            failed=failed,
            traceback=text,
        )
        if isinstance(result, Trace):
            return first
        return replace(result, traces=(first, *result.traces[1:]))

    def _of(self, rank: int) -> Seen:
        return self._seen.setdefault(
            rank, Seen(Trace(machine=self._job.machine, torch=""))
        )

    def _whole(self) -> Trace | MultiRankTrace:
        how = ending.told(self._status, self.stopped, self.place)
        if self._result is None:
            return self._so_far(how)
        if not self.stopped:
            return self._result
        if isinstance(self._result, Trace):
            return _stopped(self._result, how)
        return replace(
            self._result,
            traces=tuple(_stopped(trace, how) for trace in self._result.traces),
        )

    def _so_far(self, how: str) -> Trace | MultiRankTrace:
        """Return what was said until now, of a run that ended so."""
        ranks = range(self._job.ranks or 1)
        traces = tuple(self._of(rank).trace(how) for rank in ranks)
        if not self._job.ranks:
            return traces[0]
        return MultiRankTrace(traces=traces, meetings=(), matched=0)


def _stopped(trace: Trace, how: str) -> Trace:
    """Return the trace of a stopped program, with its own last place; nothing after its end is missing."""
    if trace.ended is None and any(
        INTERRUPTED in (block.ended, block.why) for block in trace.reach
    ):
        return trace
    return replace(trace, ended=f"{how}{ending.after(trace.ended)}")
