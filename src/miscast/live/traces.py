"""Exceptions and tracebacks as the program alone would have them. Light: it is used while the interpreter goes down.

While a KeyboardInterrupt ends the process nothing may be imported: an `exec` (every dataclass is made by one) makes
Python forget that the process is to end by SIGINT.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType

_OURS = (__package__, "miscast.running.process")
_MOST = 64
"""Exceptions of one chain or group that are read."""


def chain(error: BaseException) -> list[BaseException]:
    """Return an exception, after what it came from; of a group, its parts: in the order in which Python prints them."""
    return list(_chain(error, set()))


def without_ours(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without the recorder's frames, as the program alone would leave it."""
    while trace is not None and is_ours(trace):
        trace = trace.tb_next
    here = trace
    while here is not None:
        while here.tb_next is not None and is_ours(here.tb_next):
            here.tb_next = here.tb_next.tb_next
        here = here.tb_next
    return trace


def _chain(error: BaseException, seen: set[int]) -> Iterator[BaseException]:
    if id(error) in seen or len(seen) >= _MOST:
        return
    seen.add(id(error))
    before = error.__cause__ or (
        None if error.__suppress_context__ else error.__context__
    )
    if before is not None:
        yield from _chain(before, seen)
    yield error
    # ExceptionGroup; before Python 3.11 a package of that name
    parts = getattr(error, "exceptions", ())
    for part in parts if isinstance(parts, (list, tuple)) else ():
        if isinstance(part, BaseException):
            yield from _chain(part, seen)


def frames(error: BaseException) -> list[TracebackType]:
    """Return the frames of an exception, innermost first, without those of the recorder."""
    found = []
    trace = error.__traceback__
    while trace is not None:
        if not is_ours(trace):
            found.append(trace)
        trace = trace.tb_next
    return found[::-1]


def is_ours(trace: TracebackType) -> bool:
    """Check whether a frame is of the recorder, or of what runs the program."""
    return trace.tb_frame.f_globals.get("__package__") in _OURS
