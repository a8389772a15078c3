"""Placeholder truths that ended a program: it runs again, with the opposite at the lines that read them.

ended early, no finding  →  the last undecided line  →  the one before it  →  …  →  all of them
"""

from __future__ import annotations

import math
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
    once = job.network == "open" or job.writes == "real"
    if once or isinstance(found, MultiRankTrace) or not _is_early(found):
        return job, found
    limit = None if job.time_limit is None else time.monotonic() + job.time_limit - took
    least, slower = NET
    end = min(time.monotonic() + least + slower * took, limit or math.inf)
    waiting, tried = [*_choices((), found)], 0
    last = found
    while waiting and tried < _TRIES and time.monotonic() < end and not view.stopped:
        turned, tried = waiting.pop(0), tried + 1
        view.say("running with other placeholder values")
        again = replace(
            job, turned=turned, time_limit=limit and limit - time.monotonic()
        )
        quiet = View(quiet=True)
        trace = supervised(again, quiet)
        view.stopped = quiet.stopped
        assert isinstance(trace, Trace)
        if not _is_early(trace):
            note = f"with other placeholder values {found.ended}; it went on with the opposite at {_listed(turned)}"
            return again, replace(trace, notes=(*trace.notes, note))
        if trace.ended != last.ended:
            last, waiting = trace, [*_choices(turned, trace), *waiting]
    if not tried:
        return job, found
    late = bool(waiting) and tried < _TRIES
    return job, replace(found, notes=(*found.notes, _in_vain(tried, late=late)))


def _in_vain(tried: int, *, late: bool) -> str:
    runs = f"{tried} runs" if tried > 1 else "a run"
    rest = "; others were not tried: out of time" if late else ""
    return f"{runs} with the opposite of placeholder values ended early, too{rest}"


def _is_early(trace: Trace) -> bool:
    return trace.ended is not None and trace.failed is None and not trace.calls


def _choices(turned: tuple[str, ...], trace: Trace) -> Iterator[tuple[str, ...]]:
    """Yield the lines to turn: one more each, the last first, then all."""
    more = [line for line in reversed(trace.undecided) if line not in turned]
    yield from ((*turned, line) for line in islice(more, _EACH))
    if len(more) > 1:
        yield *turned, *more


def _listed(lines: tuple[str, ...]) -> str:
    return ", ".join(sorted(map(os.path.basename, lines)))
