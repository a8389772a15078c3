"""The failed call once more, on the virtual machine, with an operand in another dtype or on another device.

    F.cross_entropy(logits, labels)             refused: `labels` must be int64
    F.cross_entropy(logits, labels as int64)    taken

The call is that of the innermost frame that can be repeated without the program's own code: a function of torch's, a
method of a tensor or an operator, on parts whose dtype, device and shape are known. It is a trial only if the machine
refuses the call as it was. Tensors have no data there, and the program's stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import torch

from ..core.machines import find
from ..running.program.run import run_callable
from ..vm.provenance.failed_expression import failed_node
from ..vm.provenance.inferred_parts import Part, calling, part_or_value
from ..vm.provenance.safe_lookup import value_of

if TYPE_CHECKING:
    import ast
    from types import FrameType, TracebackType

    from ..core.event import Call
    from ..core.finding import Subject
    from .frame_operands import FrameOperand

_FRAMES = 6
_MACHINES = {"cpu": "cpu", "cuda": "8xa100", "mps": "m2"}
"""Machines on which a call is repeated, by the kind of its tensors' devices."""

Changes = Mapping[int, str]
"""New dtypes or devices of operands, by the operand's number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A failed call that the virtual machine refuses, too; `refused` is what it says of it."""

    about: Subject
    refused: Call
    replay: Callable[[Changes], Call | bool | None] = field(repr=False)

    def takes(self, changes: Changes) -> bool | None:
        """Check whether the call runs once operands are changed; None where it fails for another reason."""
        found = self.replay(changes)
        return found if found is None else found is True


def trial(
    operands: Sequence[FrameOperand], traces: Sequence[TracebackType], about: Subject
) -> Trial | None:
    """Return the innermost call of some frames (innermost first) that can be repeated, and is refused as it was."""
    for trace in traces[:_FRAMES]:
        node, exact = failed_node(trace)
        replay = _replay(node if exact else None, trace.tb_frame, operands, about)
        refused = replay({}) if replay is not None else None
        if replay is not None and not isinstance(refused, (bool, type(None))):
            return Trial(about=about, refused=refused, replay=replay)
    return None


def _replay(
    node: ast.AST | None,
    frame: FrameType,
    operands: Sequence[FrameOperand],
    about: Subject,
) -> Callable[[Changes], Call | bool | None] | None:
    """Return what repeats a call: True if it runs, the call if it is refused for its dtypes or devices, else None."""
    try:
        called = calling(node, frame)
        part = partial(_given, frame=frame, operands=operands)
        given = list(map(part, called.args))
        named = {name: part(one) for name, one in called.kwargs.items()}
    except Exception:  # noqa: BLE001 - whatever is odd about a part: the call cannot be repeated
        return None
    parts = [*_parts([*given, *named.values()])]
    numbers = set(map(attrgetter("number"), parts))
    kinds = set(map(attrgetter("part.device.type"), parts))
    if not kinds <= _MACHINES.keys():
        return None
    machine = find(next(map(_MACHINES.__getitem__, kinds - {"cpu"}), "cpu"))

    def replay(changes: Changes) -> Call | bool | None:
        if changes and numbers.isdisjoint(changes):
            return None  # the operand to change is none of this call's

        def run() -> None:
            made = partial(_made, changes=changes, about=about)
            kwargs = {name: made(one) for name, one in named.items()}
            called.function(*map(made, given), **kwargs)

        trace, _ = run_callable(run, (), {}, machine)
        if trace.calls:
            return trace.calls[0]
        return None if trace.ended or trace.failed else True

    return replay


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """A tensor that is handed over, and which of the operands it is; None of none."""

    part: Part
    number: int | None


def _given(node: ast.AST, frame: FrameType, operands: Sequence[FrameOperand]) -> Any:
    """Return what a node hands over, each tensor as _Given."""
    elements = getattr(node, "elts", None)
    if elements is not None:
        return tuple(_given(one, frame, operands) for one in elements)
    value = part_or_value(node, frame)
    if isinstance(value, Part):
        held = value_of(node, frame)
        return _Given(part=value, number=_number(node, held, operands))
    if isinstance(value, list):
        held = value_of(node, frame)
        return [
            _Given(part=one, number=_number(None, same, operands))
            if isinstance(one, Part)
            else one
            for one, same in zip(value, held, strict=True)
        ]
    return value


def _number(
    node: ast.AST | None, held: object, operands: Sequence[FrameOperand]
) -> int | None:
    for number, one in enumerate(operands):
        if one.found is not None and (
            one.found.tensor is held
            if one.found.tensor is not None
            else one.found.part is node
        ):
            return number
    return None


def _parts(values: Sequence[Any]) -> Iterator[_Given]:
    for one in values:
        if isinstance(one, _Given):
            yield one
        elif isinstance(one, (list, tuple)):
            yield from _parts(one)


def _made(value: Any, changes: Changes, about: Subject) -> Any:
    """Return a value as it is passed on the virtual machine."""
    if isinstance(value, (list, tuple)):
        return type(value)(_made(one, changes, about) for one in value)
    if not isinstance(value, _Given):
        return value
    wanted = changes.get(-1 if value.number is None else value.number)
    dtype, device = value.part.dtype, str(value.part.device)
    if wanted is not None and about == "device":
        device = wanted
    elif wanted is not None:
        dtype = getattr(torch, wanted)
    meta = value.part.meta
    return torch.empty_strided(meta.shape, meta.stride(), dtype=dtype, device=device)
