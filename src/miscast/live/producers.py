"""Find the line that created a tensor: the recorder's note, else the assignment in its frames.

An op's result carries no note. The last line above the failing one that assigns the tensor's name made it; the
tensors on that line's right side tell from what, and where these differ in dtype, it was a silent promotion.
"""

from __future__ import annotations

import ast
import linecache
from typing import TYPE_CHECKING, Any, Protocol

import torch

from ..core.event import Event, EventKind, Location
from ..core.syntax import last_name, nodes_of
from ..vm.provenance.failed_expression import statements
from ..vm.provenance.inferred_parts import Part, inferred
from ..vm.provenance.origin import TORCH, kind_of
from ..vm.provenance.record import is_tensor
from ..vm.provenance.safe_lookup import UNREAD, value_of
from ..vm.provenance.tensor_history import note
from .recorder import CASTS, FACTORIES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import FrameType, TracebackType

    from ..core.finding import Subject
    from ..vm.provenance.failed_expression import Found

_DEPTH = 4
_LINES = 8
_CHANGES: Mapping[Subject, EventKind] = {"dtype": "cast", "device": "moved"}
_COUNTING = frozenset({
    "argmax", "argmin", "argsort", "bincount", "bucketize", "nonzero", "one_hot",
    "searchsorted",
})  # fmt: skip
"""Ops that give int64 whatever they get: an int64 operand of theirs is not why."""
_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow",
}  # fmt: skip
_TARGETS: Mapping[type[ast.AST], Callable[[ast.AST], Sequence[ast.expr | None]]] = {
    ast.Assign: lambda statement: statement.targets,  # type: ignore[attr-defined]
    ast.AugAssign: lambda statement: [statement.target],  # type: ignore[attr-defined]
    ast.AnnAssign: lambda statement: [statement.target],  # type: ignore[attr-defined]
    ast.For: lambda statement: [statement.target],  # type: ignore[attr-defined]
    ast.With: lambda statement: [item.optional_vars for item in statement.items],  # type: ignore[attr-defined]
}


class Held(Protocol):
    """A tensor, or what is known of one that no variable holds."""

    @property
    def dtype(self) -> torch.dtype: ...  # noqa: D102
    @property
    def device(self) -> torch.device: ...  # noqa: D102


def origin(
    found: Found, traces: Sequence[TracebackType], about: Subject
) -> Event | None:
    """Return what gave a tensor its dtype ("dtype") or device ("device"); `traces` are the frames, innermost first."""
    producers = _Producers(traces, about)
    if found.tensor is not None:
        return producers.of_tensor(found.tensor, _DEPTH)
    live = getattr(found.note, about, None)
    if live is not None:
        event: Event = live.freeze()
        return event
    if found.part is None:
        return None
    line = ast.copy_location(ast.Expr(found.part), found.part)
    return producers.of_line(found, line, traces[0].tb_frame, _DEPTH)


class _Producers:
    """The lines that gave tensors their dtype, or their device, in the frames of one exception."""

    def __init__(self, traces: Sequence[TracebackType], about: Subject) -> None:
        self.traces, self.about = traces, about

    def of_tensor(self, tensor: torch.Tensor, depth: int) -> Event | None:
        """Return the note of a tensor, else the event of the line that assigned it in the innermost frame."""
        noted = _noted(tensor, self.about)
        if noted is not None or not depth:
            return noted
        for trace in self.traces:
            frame = trace.tb_frame
            names = [name for name, value in frame.f_locals.items() if value is tensor]
            line = None
            if kind_of(frame.f_code) != TORCH:
                line = _assigned(names, frame, trace.tb_lineno)
            if line is not None:
                return self.of_line(tensor, line, frame, depth)
        return None

    def of_line(
        self, tensor: Held, line: ast.stmt, frame: FrameType, depth: int
    ) -> Event:
        """Return a line's event; it follows the event of a tensor on the line that already had the dtype or device."""
        every = list(_read(line, frame))
        others = [one for one in every if one is not tensor]
        kind, op = self._happened(line, frame, tensor, others)
        same = [one for one in others if self._agree(one, tensor)]
        source = None
        if kind in ("given", "promoted") and _op(line) not in _COUNTING:
            source = next(
                filter(None, (self.of_tensor(one, depth - 1) for one in same)), None
            )
        if not same and len(others) < len(every):
            source = self._former(tensor, line, frame, depth)
        return Event(
            kind=kind,
            op=op,
            dtype=str(tensor.dtype)[6:],
            device=str(tensor.device),
            location=_location(line, frame),
            source=source,
        )

    def _former(
        self, tensor: Held, line: ast.stmt, frame: FrameType, depth: int
    ) -> Event | None:
        """Return the event of the former line of x in `x = x + y`, where x already had the dtype."""
        names = [name for name in _targets(line) if frame.f_locals.get(name) is tensor]
        former = _assigned(names, frame, line.lineno)
        if former is not None and depth:
            return self.of_line(tensor, former, frame, depth - 1)
        return None

    def _happened(
        self,
        line: ast.stmt,
        frame: FrameType,
        tensor: Held,
        others: Iterable[torch.Tensor],
    ) -> tuple[EventKind, str]:
        """Return what the outermost call or operator of a line did to the dtype or device."""
        return (
            self._called(line, frame, tensor)
            or self._promoted(line, tensor, others)
            or ("given", "")
        )

    def _called(
        self, line: ast.stmt, frame: FrameType, tensor: Held
    ) -> tuple[EventKind, str] | None:
        called = getattr(line, "value", None)
        if not isinstance(called, ast.Call) or not isinstance(
            called.func, ast.Attribute
        ):
            return None
        name, owner = called.func.attr, value_of(called.func.value, frame)
        if name in FACTORIES and owner is torch:
            return "born", f"torch.{name}"
        before: Any = inferred(called.func.value, frame) if owner is UNREAD else owner
        changed = (type(before) is Part or is_tensor(before)) and not self._agree(
            before, tensor
        )
        if changed and name in CASTS:
            return (_CHANGES[self.about], f"Tensor.{name}")
        return None

    def _promoted(
        self, line: ast.stmt, tensor: Held, others: Iterable[torch.Tensor]
    ) -> tuple[EventKind, str] | None:
        floating = {one.dtype for one in others if one.is_floating_point()}
        mixed = tensor.dtype in floating and len(floating) > 1
        return ("promoted", _op(line)) if mixed and self.about == "dtype" else None

    def _agree(self, one: Held, other: Held) -> bool:
        same: bool = getattr(one, self.about) == getattr(other, self.about)
        return same


def _noted(tensor: torch.Tensor, about: Subject) -> Event | None:
    found = getattr(note(tensor), about)
    if found is None or (about == "dtype" and found.dtype != tensor.dtype):
        return None
    event: Event = found.freeze()
    return event


def _assigned(names: Sequence[str], frame: FrameType, before: int) -> ast.stmt | None:
    """Return the last statement up to a line that assigns one of the names."""
    ended = (
        one
        for one in statements(frame.f_code)
        if (one.end_lineno or one.lineno) < before
    )
    assigning = [one for one in ended if not set(names).isdisjoint(_targets(one))]
    return assigning[-1] if assigning else None


def _targets(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement assigns."""
    targets = _TARGETS.get(type(statement))
    for target in targets(statement) if targets else ():
        yield from (node.id for node in nodes_of(target, ast.Name))


def _read(line: ast.stmt, frame: FrameType) -> Iterator[torch.Tensor]:
    """Yield the tensors that a line reads by names, attributes and items."""
    read = getattr(line, "value", None) or getattr(line, "iter", None)
    for node in nodes_of(read, ast.Name, ast.Attribute, ast.Subscript):
        value = value_of(node, frame)
        if is_tensor(value):
            yield value


def _op(line: ast.stmt) -> str:
    read = getattr(line, "value", None)
    if isinstance(read, ast.Call):
        return last_name(read.func)
    return _OPERATORS.get(type(read.op), "") if isinstance(read, ast.BinOp) else ""


def _location(line: ast.stmt, frame: FrameType) -> Location:
    code, first = frame.f_code, line.lineno
    end = min(line.end_lineno or first, first + _LINES)
    last = first if isinstance(line, (ast.For, ast.With)) else end
    text = " ".join(
        linecache.getline(code.co_filename, n).strip() for n in range(first, last + 1)
    )
    return Location(file=code.co_filename, line=first, function=code.co_name, code=text)
