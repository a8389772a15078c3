"""An explanation, strengthened by what the frames hold: whose dtype it was, since when, and what to write there."""

from __future__ import annotations

import linecache
from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING

from ..core.event import Location, Operand
from ..core.finding import Finding, Fix, RankedCause
from ..explanation.assemble import explain
from ..fixing import remedy
from ..judging import cause as causes
from ..judging.findings.finding_builder import make_finding
from ..report.wording import briefly
from ..running.torch_abi import WithoutTorchFunction
from ..vm.provenance import parameter_paths
from ..vm.provenance.origin import TORCH, kind_of
from ..vm.provenance.tensor_history import recording
from .blame import Advised, advice
from .frame_operands import FrameOperand, frame_operands

if TYPE_CHECKING:
    from ..explanation.scan import Passage
    from ..judging.cause import Cause

_SURE = 0.6
"""The share of the first cause where its line is known; the usual causes of such a message share the rest."""
_MIXED = ("dtype-mismatch", "device-mismatch", "distributed-dtype")


def strengthened(passage: Passage, traces: Sequence[TracebackType]) -> Finding | None:
    """Return a passage of an exception's message, explained with the frames of the exception (innermost first)."""
    # what a subclass of the program's thinks of `.dtype` is not asked
    with WithoutTorchFunction():
        return _strengthened(passage, traces)


def _strengthened(passage: Passage, traces: Sequence[TracebackType]) -> Finding | None:
    seen: list[FrameOperand] = []

    def look(told: tuple[Operand, ...], op: str | None) -> tuple[Operand, ...]:
        seen[:] = frame_operands(told, op, traces)
        return tuple(one.told for one in seen) or told

    explanation = explain(passage, look)
    if explanation is None or not seen:
        return explanation
    module = parameter_paths.at_work(traces) or None
    at_work = replace(explanation.location, module=module)
    return _blaming(replace(explanation, location=at_work), seen, traces)


def _blaming(
    explanation: Finding, seen: Sequence[FrameOperand], traces: Sequence[TracebackType]
) -> Finding:
    """Return the finding with the line that made the operands differ as first cause, and its fix as first help."""
    if explanation.category not in _MIXED:
        return explanation
    location = _location(traces, explanation.location.module)
    advised = advice(explanation, seen, traces, location)
    if advised is None:
        return explanation
    blamed = advised.cause
    fixes = _edits(advised) if advised.tried is not False else ()
    titles = {fix.title for fix in fixes}
    tried = ("fix tested on the virtual machine",) if advised.tried else ()
    first = RankedCause(
        name="known-origin",
        text=_story(blamed),
        evidence=(_source(), *tried),
        weight=_SURE,
    )
    rest = tuple(
        replace(one, weight=round(one.weight * (1 - _SURE), 2))
        for one in explanation.causes
    )
    others = (fix for fix in explanation.fixes if fix.title not in titles)
    return replace(explanation, causes=(first, *rest), fixes=(*fixes, *others))


def _edits(advised: Advised) -> tuple[Fix, ...]:
    """Return what to change, as `check` words it."""
    made = make_finding("", advised.call, "", fixes=())
    blamed = advised.cause.blamed.name
    finding = replace(made, blamed=blamed, wanted=advised.cause.wanted)
    words = remedy.in_words(finding)
    return remedy.advised((replace(finding, fixes=(words,)),))[0].fixes if words else ()


def _location(traces: Sequence[TracebackType], module: str | None) -> Location:
    trace = next(
        (one for one in traces if kind_of(one.tb_frame.f_code) != TORCH), traces[0]
    )
    code = trace.tb_frame.f_code
    return Location(
        file=code.co_filename,
        line=trace.tb_lineno,
        function=code.co_name,
        module=module,
        code=linecache.getline(code.co_filename, trace.tb_lineno).strip(),
    )


def _source() -> str:
    if recording():
        return "recorded in this run"
    return "from the stack frames; `miscast run` also records where tensors are created and cast"


def _story(blamed: Cause) -> str:
    """Describe the operands: `mask` is float32: created at train.py:9; `weight` is float16: cast at train.py:4."""
    told = []
    for operand in filter(None, (blamed.blamed, blamed.innocent)):
        event = causes.origin(operand, blamed.about)
        value = (
            operand.tensor.device if blamed.about == "device" else operand.tensor.dtype
        )
        start = event.start() if event else None
        since = f", {briefly(start)} at {remedy.place(start.location)}" if start else ""
        told.append(f"`{operand.name}` is {value}{since}")
    return "; ".join(told)
