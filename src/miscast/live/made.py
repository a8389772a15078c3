"""Which line made a tensor: the recorder's note, else the assignment in the frames that hold the tensor.

An op's result carries no note. The last line above the failing one that assigns the tensor's name made it; the
tensors on that line's right side tell from what, and where these differ in dtype, it was a silent promotion.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import torch

from ..event import Event, EventKind, Location
from ..provenance.failed_expression import statements
from ..provenance.inferred_parts import Part, inferred
from ..provenance.origin import TORCH, kind_of
from ..provenance.stored_values import ABSENT, value
from ..provenance.tensor_notes import note
from .recorder import CASTS, FACTORIES

if TYPE_CHECKING:
    from types import FrameType, TracebackType

    from ..finding import Subject
    from ..provenance.failed_expression import Found

_DEPTH = 4


class Held(Protocol):
    """A tensor, or what is known of one that no variable holds."""

    @property
    def dtype(self) -> torch.dtype: ...  # noqa: D102
    @property
    def device(self) -> torch.device: ...  # noqa: D102


def origin(found: Found, traces: Sequence[TracebackType], about: Subject) -> Event | None:
    """What gave a tensor its dtype ("dtype") or device ("device"); `traces` are the frames, innermost first."""
    if found.tensor is not None:
        return _origin(found.tensor, traces, about, _DEPTH)
    live = getattr(found.note, about, None)
    if live is not None:
        event: Event = live.freeze()
        return event
    if found.part is None:
        return None
    line = ast.copy_location(ast.Expr(found.part), found.part)
    return _made(found, line, traces[0].tb_frame, traces, about, _DEPTH)


def _origin(tensor: torch.Tensor, traces: Sequence[TracebackType], about: Subject, depth: int) -> Event | None:
    noted = _noted(tensor, about)
    if noted is not None or not depth:
        return noted
    for trace in traces:
        frame = trace.tb_frame
        if kind_of(frame.f_code) == TORCH:
            continue
        names = [name for name, held in frame.f_locals.items() if held is tensor]
        line = _assigned(names, frame, trace.tb_lineno)
        if line is not None:
            return _made(tensor, line, frame, traces, about, depth)
    return None


def _noted(tensor: torch.Tensor, about: Subject) -> Event | None:
    found = getattr(note(tensor), about)
    if found is None or (about == "dtype" and found.dtype != tensor.dtype):
        return None
    event: Event = found.freeze()
    return event


def _assigned(names: Sequence[str], frame: FrameType, before: int) -> ast.stmt | None:
    """The last statement up to a line that assigns one of the names."""
    last = None
    for statement in statements(frame.f_code):
        if (statement.end_lineno or statement.lineno) < before and any(name in names for name in _targets(statement)):
            last = statement
    return last


def _targets(statement: ast.stmt) -> Iterator[str]:
    targets = (
        statement.targets if isinstance(statement, ast.Assign)
        else [statement.target] if isinstance(statement, (ast.AugAssign, ast.AnnAssign, ast.For))
        else [item.optional_vars for item in statement.items if item.optional_vars] if isinstance(statement, ast.With)
        else []
    )  # fmt: skip
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                yield node.id


def _made(  # noqa: PLR0913 - a line in its frame, among the frames around it
    tensor: Held, line: ast.stmt, frame: FrameType, traces: Sequence[TracebackType], about: Subject, depth: int
) -> Event:
    """The event of a line; behind it, that of the tensor on the line which had the dtype or device already."""
    every = list(_read(line, frame))
    read = [one for one in every if one is not tensor]
    same = [one for one in read if getattr(one, about) == getattr(tensor, about)]
    kind, op = _happened(line, frame, tensor, read, about)
    events = []
    if kind in ("given", "promoted"):
        events = [event for one in same if (event := _origin(one, traces, about, depth - 1)) is not None]
    if not same and len(read) < len(every):  # `x = x + y`: x had the dtype before, and its former line tells of it
        names = [name for name in _targets(line) if frame.f_locals.get(name) is tensor]
        former = _assigned(names, frame, line.lineno)
        if former is not None and depth:
            events = [_made(tensor, former, frame, traces, about, depth - 1)]
    return Event(
        kind=kind,
        op=op,
        dtype=str(tensor.dtype)[6:],
        device=str(tensor.device),
        location=_location(line, frame),
        source=next(iter(events), None),
    )


def _happened(
    line: ast.stmt, frame: FrameType, tensor: Held, read: Sequence[torch.Tensor], about: Subject
) -> tuple[EventKind, str]:
    """What the outermost call or operator of a line did to the dtype or device."""
    called = getattr(line, "value", None)
    if isinstance(called, ast.Call) and isinstance(called.func, ast.Attribute):
        name, owner = called.func.attr, value(called.func.value, frame)
        if name in FACTORIES and owner is torch:
            return "born", f"torch.{name}"
        before = inferred(called.func.value, frame) if owner is ABSENT else owner
        known = before.meta if isinstance(before, Part) else before
        if name in CASTS and isinstance(known, torch.Tensor):
            if about == "dtype" and known.dtype != tensor.dtype:
                return "cast", f"Tensor.{name}"
            if about == "device" and getattr(before, "device", None) != tensor.device:
                return "moved", f"Tensor.{name}"
    same = any(getattr(one, about) == getattr(tensor, about) for one in read)
    mixed = about == "dtype" and same and any(one.is_floating_point() and one.dtype != tensor.dtype for one in read)
    return ("promoted", _op(line)) if mixed and tensor.dtype.is_floating_point else ("given", "")


def _read(line: ast.stmt, frame: FrameType) -> Iterator[torch.Tensor]:
    read = getattr(line, "value", None) or getattr(line, "iter", None)
    for node in ast.walk(read) if read is not None else ():
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            held = value(node, frame)
            if isinstance(held, torch.Tensor):
                yield held


def _op(line: ast.stmt) -> str:
    read = getattr(line, "value", None)
    if isinstance(read, ast.Call):
        return ast.unparse(read.func).rpartition(".")[2]
    if isinstance(read, ast.BinOp):
        return {"Add": "add", "Sub": "sub", "Mult": "mul", "Div": "div", "Pow": "pow"}.get(type(read.op).__name__, "")
    return ""


def _location(line: ast.stmt, frame: FrameType) -> Location:
    code = frame.f_code
    first = line.lineno
    last = first if isinstance(line, (ast.For, ast.With)) else min(line.end_lineno or first, first + 8)
    text = " ".join(linecache.getline(code.co_filename, n).strip() for n in range(first, last + 1))
    return Location(file=code.co_filename, line=first, function=code.co_name, code=text)
