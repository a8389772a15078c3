"""Placeholder truths that ended a program: it runs again, with the opposite at the lines that read them.

ended early, no finding  →  the last undecided line  →  the one before it  →  …  →  all of them
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from itertools import islice

from ..core.event import Trace
from ..core.frozen import replace
from ..core.meeting import MultiRankTrace
from .job import NET, Job
from .supervisor import supervised
from .view import View

_TRIES = 6  # runs: counted, so that the answer is the same on a busy machine
_EACH = 4
"""Lines that are turned by themselves, from each end that the program comes to."""


def settled(
    job: Job, found: Trace | MultiRankTrace, view: View, took: float
) -> tuple[Job, Trace | MultiRankTrace]:
    """Return the first run that no placeholder's truth ended, and its job; where there is none, the given ones."""
    if isinstance(found, MultiRankTrace) or not _can_turn(job, found):
        return job, found
    began = time.monotonic() - took
    least, slower = NET
    most = least + slower * took
    left = _left(job, began)
    end = began + took + (most if left is None else min(most, left))
    waiting, last, tried = [*_choices((), found)], found, 0
    while waiting and tried < _TRIES and time.monotonic() < end and not view.stopped:
        turned, tried = waiting.pop(0), tried + 1
        again = replace(job, turned=turned, time_limit=_left(job, began))
        trace = _run(again, view)
        if not _is_early(trace):
            at = ", ".join(sorted(map(os.path.basename, turned)))
            note = f"with other placeholder values {found.ended}; it went on with the opposite at {at}"
            return again, replace(trace, notes=(*trace.notes, note))
        if trace.ended != last.ended:
            last, waiting = trace, [*_choices(turned, trace), *waiting]
    return job, replace(found, notes=(*found.notes, *_in_vain(tried, waiting)))


def _run(job: Job, view: View) -> Trace:
    view.say("running with other placeholder values")
    quiet = View(quiet=True)
    trace = supervised(job, quiet)
    view.stopped = quiet.stopped
    assert isinstance(trace, Trace)
    return trace


def _can_turn(job: Job, found: Trace) -> bool:
    """Check whether a program ended early, and may run again."""
    return job.network != "open" and job.writes != "real" and _is_early(found)


def _left(job: Job, began: float) -> float | None:
    """Return the seconds that are left of a job's time."""
    limit = job.time_limit
    return None if limit is None else began + limit - time.monotonic()


def _in_vain(tried: int, waiting: list[tuple[str, ...]]) -> Iterator[str]:
    if tried:
        runs = f"{tried} runs" if tried > 1 else "a run"
        late = waiting and tried < _TRIES
        rest = "; others were not tried: out of time" if late else ""
        yield f"{runs} with the opposite of placeholder values ended early, too{rest}"


def _is_early(trace: Trace) -> bool:
    return trace.ended is not None and trace.failed is None and not trace.calls


def _choices(turned: tuple[str, ...], trace: Trace) -> Iterator[tuple[str, ...]]:
    """Yield the lines to turn: one more each, the last first, then all."""
    more = [line for line in reversed(trace.undecided) if line not in turned]
    yield from ((*turned, line) for line in islice(more, _EACH))
    if len(more) > 1:
        yield *turned, *more
