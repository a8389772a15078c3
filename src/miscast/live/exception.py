"""An exception -> its explanation, with what its frames still hold: the tensors, their shapes, and their origins.

>>> try:
...     train_step(batch)
... except RuntimeError as error:
...     print(miscast.explain(error))
"""

from __future__ import annotations

import io
import sys
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from ..core.finding import Finding
from ..explanation.assemble import explain
from ..explanation.reported import reported
from ..explanation.scan import passages
from ..explanation.source import blocks
from ..report import Report
from . import worker_errors
from .traces import chain, frames

if TYPE_CHECKING:
    from types import TracebackType

_ELSEWHERE = (KeyError, ImportError, NameError, SyntaxError, OSError)
"""Never of the kinds that are explained, whatever their message quotes."""


def explained(error: BaseException) -> Report:
    """Explain an exception and those that it was raised from, the first cause first. Each error occurs once."""
    with warnings.catch_warnings():  # torch warns of what is looked at here; the program may have made warnings errors
        warnings.simplefilter("ignore")
        return _explained(error)


def _explained(error: BaseException) -> Report:
    found: list[Finding] = []
    told: list[tuple[str, str]] = []
    for one in chain(error):
        message = str(one).strip()
        for explanation in _of(one):
            if any(
                explanation.pattern == pattern and (text in message or message in text)
                for pattern, text in told
            ):
                continue  # `raise StepError(f"step 3: {error}") from error` says it again; so does a pool's worker
            found.append(explanation)
        told += [(explanation.pattern, message) for explanation in found[len(told) :]]
    return reported(found)


def _of(error: BaseException) -> Iterator[Finding]:
    """Yield what one exception's own message means. Lines of source in its traceback are no messages."""
    if isinstance(error, _ELSEWHERE):
        return
    traces = frames(error)
    elsewhere = worker_errors.findings(traces)
    if elsewhere:
        yield from elsewhere
        return
    shown = [f"Traceback (most recent call last):\n", *_shown(traces)]  # noqa: F541 - as Python prints it
    message = "".join(traceback.format_exception_only(type(error), error))
    head = "".join(shown)
    text = (head + message).encode("utf-8", "replace")
    # another process's text
    no_frames = "Original Traceback" in message or "Traceback (most recent" in message
    for passage in passages(blocks(io.BytesIO(text))):
        if passage.number <= head.count("\n"):
            continue
        if "torch" not in sys.modules or no_frames:
            explanation = explain(passage)
        else:
            from .evidence import strengthened

            explanation = strengthened(passage, traces)
        if explanation is not None:
            yield replace(explanation, lines=(0, 0))


def _shown(traces: list[TracebackType]) -> list[str]:
    walked = [(trace.tb_frame, trace.tb_lineno) for trace in reversed(traces)]
    return traceback.format_list(traceback.StackSummary.extract(iter(walked)))
