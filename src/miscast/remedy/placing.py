"""What to write where a tensor or a module is on the wrong device.

m = torch.ones(x.shape)         ->  make it on cuda:0, at train.py:9: torch.ones(x.shape, device=x.device)
b(a(x)), b on cuda:1            ->  move `input` before linear, at train.py:6: .to(b.weight.device)
"""

from __future__ import annotations

import ast

from ..cause import Cause, is_parameter
from ..dtypes import HALVES
from ..event import Call, Event, Operand
from ..finding import Fix
from . import passing
from .calls import called, own_name
from .line import call_at, shared_name, with_keywords, writes
from .owner import is_modules, module
from .places import factory, place

_OFFLOAD = "accelerate/hooks.py"


def moves(call: Call, cause: Cause) -> tuple[Fix, ...]:
    """Return the ways out of a call whose operands are on different devices: a move there, then one at the origin."""
    event = cause.event
    if event is not None and _is_offloaded(event):
        hook = f"the hook of {place(event.location)} moves it for its forward alone"
        return (Fix(title=f"call the module, not a method of it: {hook}"),)
    if is_modules(call, cause):
        return (Fix(title=f"move the module: {module(call, event)}{_to(call, cause)}"),)
    origin = _at_origin(call, cause, event)
    if writes(call, cause.blamed):  # what is written to a copy is lost
        before = f"move `{cause.blamed.name}` to {cause.wanted} on a line before {place(call.location)}"
        return (origin or Fix(title=before),)
    return tuple(filter(None, (_at_call(call, cause), origin)))


def _is_offloaded(event: Event) -> bool:
    if event.kind != "moved" or event.library is None:
        return False
    return event.library.file.endswith(_OFFLOAD)


def _at_origin(call: Call, cause: Cause, event: Event | None) -> Fix | None:
    """Where an event put the tensor; None if no line tells of it, or the change cannot stand there."""
    if event is None or event.location is None:
        return None
    if not _may_stand_there(call, cause, event):
        return None
    if event.kind != "moved":
        return _made(call, cause, event)
    return Fix(title=f"move it to {cause.wanted} instead, at {place(event.location)}")


def _at_call(call: Call, cause: Cause) -> Fix:
    name, where = cause.blamed.name, place(call.location)
    return Fix(title=f"move `{name}` before {call.op}, at {where}: {_to(call, cause)}")


def _to(call: Call, cause: Cause) -> str:
    """The conversion, by the name of what the tensor meets: the line may run for other devices, too."""
    like = _named(call, cause.innocent) if cause.innocent else ""
    device = f'"{cause.wanted.removesuffix(":0")}"'
    return f".to({like}.device)" if like else f".to({device})"


def _named(call: Call, other: Operand) -> str:
    """How the line names an operand: "x", or "self.proj.weight" where it calls the module; "" if it does not."""
    used = passing.call_that_failed(call)
    if is_parameter(other) and isinstance(used, ast.Call):
        at_work = called(used) == own_name(call.location)
        return f"{ast.unparse(used.func)}.{other.name}" if at_work else ""
    named = passing.operands(call, other.name)
    if (
        named
        and other.name in passing.ORDER
        and isinstance(named[0], (ast.Name, ast.Attribute))
    ):
        return ast.unparse(named[0])
    return ""


def _may_stand_there(call: Call, cause: Cause, event: Event) -> bool:
    """Whether nothing but the call that failed met the tensor where an event put it; on the CPU nobody put it there."""
    told = passing.itself(call, cause, event)
    return cause.blamed.tensor.device == "cpu" if told is None else told


def _made(call: Call, cause: Cause, event: Event) -> Fix | None:
    """The factory's call, written with its device."""
    made = call_at(event.location, factory(event))
    if event.kind != "born" or made is None or event.library is not None:
        return None
    like = shared_name(made, call.location)
    written = {"device": f"{like}.device" if like else f'"{cause.wanted}"'}
    dtype = _as_beside(cause)
    if dtype:
        written = {"dtype": f"{like}.dtype" if like else f"torch.{dtype}", **written}
    call_there = with_keywords(made, **written)
    return Fix(
        title=f"make it on {cause.wanted}, at {place(event.location)}: {call_there}"
    )


def _as_beside(cause: Cause) -> str:
    """The dtype of what it meets, where the default one would promote that; else ""."""
    other = cause.innocent.tensor.dtype if cause.innocent else ""
    born = cause.event.dtype if cause.event else ""
    default = cause.blamed.tensor.dtype == born == "float32"
    return other if default and other in HALVES else ""
