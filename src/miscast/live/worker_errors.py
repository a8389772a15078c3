"""What is told of an exception where it was raised, carried to where it is raised again without its frames.

A `DataLoader`'s worker and `DataParallel`'s threads hand over the text of an exception, in torch's ExceptionWrapper.
The explanation, made while the frames are at hand, travels on the wrapper as JSON, and is found in the frame that
raises it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from types import TracebackType
from typing import Any

from ..explanation.explanation import (
    Explanation,
    Explanations,
    OperandInfo,
    OriginEvent,
    Place,
    RankedCause,
)
from .traces import chain, without_ours

_NAME = "_miscast_told"


Explain = Callable[[BaseException], Explanations]


def install(explained: Explain) -> None:
    """Let wrapped exceptions carry what is told of them, for the rest of the process."""
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
        from ..explanation import render

        found = explained(error) if isinstance(error, Exception) else ()
        return render(found, "json") if found else ""
    except Exception:  # noqa: BLE001 - the worker's own error is what matters
        return ""


def explanations(traces: Sequence[TracebackType]) -> tuple[Explanation, ...]:
    """What was told where the exception came from; nothing of one that was raised here."""
    for trace in traces[:2]:
        if trace.tb_frame.f_code.co_name == "reraise":
            text = getattr(trace.tb_frame.f_locals.get("self"), _NAME, "")
            if isinstance(text, str) and text:
                return tuple(
                    _explanation(one) for one in json.loads(text)["explanations"]
                )
    return ()


def _explanation(one: Mapping[str, Any]) -> Explanation:
    return Explanation(
        category=one["category"],
        error=one["error"],
        pattern=one["pattern"],
        op=one["op"],
        guessed=one["op_guessed"],
        operands=tuple(_operand(operand) for operand in one["operands"]),
        location=Place(
            **{**one["location"], "library": one["location"]["library"] or ""}
        )
        if one["location"]
        else None,
        module=one["module"] or "",
        help=tuple(one["help"]),
        causes=tuple(
            RankedCause(**{**cause, "evidence": tuple(cause["evidence"])})
            for cause in one["causes"]
        ),
    )


def _operand(one: Mapping[str, Any]) -> OperandInfo:
    return OperandInfo(
        name=one["name"],
        role=one["role"] or "",
        dtype=one["dtype"],
        device=one["device"],
        path=one["path"] or "",
        shape=None if one["shape"] is None else tuple(one["shape"]),
        since=tuple(OriginEvent(**since) for since in one["since"]),
    )
