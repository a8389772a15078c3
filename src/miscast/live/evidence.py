"""An explanation, strengthened by what the frames hold: whose dtype it was, since when, and what to write there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING

from .. import cause as causes, remedy
from ..event import Call, Event, Location, Operand, TensorMeta, Violation
from ..explanation.assemble import explain
from ..explanation.explanation import Explanation, OperandInfo, OriginEvent, RankedCause
from ..provenance import parameter_paths
from ..provenance.origin import TORCH, kind_of
from ..provenance.tensor_history import recording
from ..torch_private import WithoutTorchFunction
from .demand import demanded
from .frame_operands import FrameOperand, frame_operands

if TYPE_CHECKING:
    from ..cause import Cause
    from ..explanation.scan import Passage

_SURE = 0.6
"""The share of the first cause where its line is known; the usual causes of such a message share the rest."""
_STEPS = 4
_MIXED = ("dtype-mismatch", "device-mismatch", "distributed-dtype")


def strengthened(
    passage: Passage, traces: Sequence[TracebackType]
) -> Explanation | None:
    """A passage of an exception's message, explained with the frames of the exception (innermost first)."""
    # what a subclass of the program's thinks of `.dtype` is not asked
    with WithoutTorchFunction():
        return _strengthened(passage, traces)


def _strengthened(
    passage: Passage, traces: Sequence[TracebackType]
) -> Explanation | None:
    seen: list[FrameOperand] = []

    def look(told: tuple[OperandInfo, ...], op: str | None) -> tuple[OperandInfo, ...]:
        seen[:] = frame_operands(told, op, traces)
        return tuple(one.told for one in seen) or told

    explanation = explain(passage, look)
    if explanation is None or not seen:
        return explanation
    about = "device" if explanation.category == "device-mismatch" else "dtype"
    operands = tuple(
        replace(one.told, since=_since(_event(one, about))) for one in seen
    )
    explanation = replace(
        explanation, operands=operands, module=parameter_paths.at_work(traces)
    )
    return _blaming(explanation, seen, about, traces)


def _event(one: FrameOperand, about: str) -> Event | None:
    return one.device if about == "device" else one.dtype


def _since(event: Event | None) -> tuple[OriginEvent, ...]:
    """The lines that gave a dtype or device, the newest first, each once."""
    told: dict[object, OriginEvent] = {}
    for one in event.chain() if event else ():
        if one.location is not None:
            at = one.location
            told.setdefault(
                (at.file, at.line),
                OriginEvent(
                    how=_how(one),
                    dtype=one.dtype,
                    device=one.device,
                    file=at.file,
                    line=at.line,
                    code=at.code,
                ),
            )
    return tuple(told.values())[:_STEPS]


def _how(event: Event) -> str:
    """In words: "born by torch.ones", "cast by nn.Module.half", "set" by an op that keeps the dtype."""
    if event.kind == "given":
        return "set"
    return f"{event.kind} by {event.op}" if event.op else event.kind


def _blaming(
    explanation: Explanation,
    seen: Sequence[FrameOperand],
    about: str,
    traces: Sequence[TracebackType],
) -> Explanation:
    """With the line that made the operands differ as the first cause, and what to write there as the first help."""
    call = _call(explanation, seen, about, traces)
    blamed = causes.of(call) if call is not None else None
    if call is None or blamed is None or blamed.event is None:
        return explanation
    fixes = tuple(fix.title for fix in remedy.fixes(call, blamed))
    first = RankedCause(
        name="known-origin", text=_story(blamed), evidence=(_source(),), weight=_SURE
    )
    rest = tuple(
        replace(one, weight=round(one.weight * (1 - _SURE), 2))
        for one in explanation.causes
    )
    help_ = (*fixes, *(text for text in explanation.help if text not in fixes))
    return replace(explanation, causes=(first, *rest), help=help_)


def _call(
    explanation: Explanation,
    seen: Sequence[FrameOperand],
    about: str,
    traces: Sequence[TracebackType],
) -> Call | None:
    """The failed call in the words of the rule engine, which knows who is to blame and what to write instead."""
    odd, like = _at_odds(seen, about)
    if odd is None or like is None or explanation.category not in _MIXED:
        return None
    wanted = (
        demanded(explanation.op, seen, odd)
        if about == "dtype" and explanation.op
        else None
    )
    expected = wanted or _value(like, about)
    labels = (odd.name, like.name)
    # two weights: the rule engine tells operands apart by their names
    if odd.name == like.name:
        labels = (odd.told.path, like.told.path)
    violation = Violation(
        kind="device" if about == "device" else "dtype",
        odd=labels[:1],
        like=labels[1],
        expected=expected,
    )
    return Call(
        op=explanation.op or "the op",
        phase="program",
        location=_location(traces, explanation.module),
        operands=(_operand(odd, labels[0]), _operand(like, labels[1])),
        violation=violation,
    )


def _at_odds(
    seen: Sequence[FrameOperand], about: str
) -> tuple[FrameOperand | None, FrameOperand | None]:
    """Two operands that differ; a parameter is what the other one is held against."""
    for one in seen:
        for other in seen:
            if _value(one, about) != _value(other, about):
                return (
                    (other, one)
                    if one.told.role in ("weight", "bias")
                    else (one, other)
                )
    return None, None


def _value(one: FrameOperand, about: str) -> str:
    return (one.told.device if about == "device" else one.told.dtype) or ""


def _operand(one: FrameOperand, label: str) -> Operand:
    meta = TensorMeta(
        dtype=one.told.dtype or "",
        device=one.told.device or "",
        shape=one.told.shape or (),
    )
    return Operand(
        name=label, tensor=meta, dtype_origin=one.dtype, device_origin=one.device
    )


def _location(traces: Sequence[TracebackType], module: str) -> Location:
    trace = next(
        (one for one in traces if kind_of(one.tb_frame.f_code) != TORCH), traces[0]
    )
    code = trace.tb_frame.f_code
    return Location(
        file=code.co_filename,
        line=trace.tb_lineno,
        function=code.co_name,
        module=module or None,
    )


def _source() -> str:
    if recording():
        return "recorded in this run"
    return "read off the frames; under `miscast run` births and casts are recorded"


def _story(blamed: Cause) -> str:
    """`mask` is float32: born at train.py:9; `weight` is float16: cast at train.py:4."""
    told = []
    for operand in filter(None, (blamed.blamed, blamed.innocent)):
        event = causes.origin(operand, blamed.about)
        value = (
            operand.tensor.device if blamed.about == "device" else operand.tensor.dtype
        )
        start = event.start() if event else None
        since = f", {_how(start)} at {remedy.place(start.location)}" if start else ""
        told.append(f"`{operand.name}` is {value}{since}")
    return "; ".join(told)
