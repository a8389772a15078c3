"""Carry an exception's report from where it was raised to where it is raised again without its frames.

A `DataLoader`'s worker and `DataParallel`'s threads hand over the text of an exception, in torch's ExceptionWrapper.
What is told of it, made while the frames are at hand, travels on the wrapper as JSON, and is found in the frame that
raises it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import wraps
from types import TracebackType
from typing import Any

from msgspec import json

from ..core.finding import Finding
from ..report import Report
from .traces import chain, without_ours

_NAME = "_miscast_told"

Explain = Callable[[BaseException], Report]


def install(explained: Explain) -> None:
    """Make wrapped exceptions carry their explanation, for the rest of the process."""
    from torch._utils import ExceptionWrapper  # what workers send has no public name

    original: Callable[..., None] = ExceptionWrapper.__init__

    @wraps(original)
    def wrapped(self: Any, exc_info: Any = None, where: str = "in background") -> None:
        kind, error, trace = exc_info or sys.exc_info()
        if error is None:
            original(self, exc_info, where)
            return
        for one in chain(error):
            one.__traceback__ = without_ours(one.__traceback__)
        original(self, (kind, error, without_ours(trace)), where)
        setattr(self, _NAME, _told(error, explained))

    ExceptionWrapper.__init__ = wrapped  # type: ignore[method-assign]


def _told(error: BaseException, explained: Explain) -> str:
    try:
        found = explained(error).findings if isinstance(error, Exception) else ()
        return json.encode(found).decode() if found else ""
    except Exception:  # noqa: BLE001 - the worker's own error is what matters
        return ""


def findings(traces: Sequence[TracebackType]) -> tuple[Finding, ...]:
    """Return the findings reported where the exception came from; empty for one raised here."""
    for trace in traces[:2]:
        if trace.tb_frame.f_code.co_name == "reraise":
            text = getattr(trace.tb_frame.f_locals.get("self"), _NAME, "")
            if isinstance(text, str) and text:
                return json.decode(text, type=tuple[Finding, ...])
    return ()
