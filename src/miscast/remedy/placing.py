"""What to write where a tensor or a module is on the wrong device.

m = torch.ones(x.shape)         ->  make it on cuda:0, at train.py:9: torch.ones(x.shape, device=x.device)
b(a(x)), b on cuda:1            ->  move `input` before linear, at train.py:6: .to("cuda:1")
"""

from __future__ import annotations

from ..cause import Cause
from ..event import Call, Event
from ..finding import Fix
from . import passing, safety
from .line import call_at, shared_name, with_keywords
from .owner import is_modules, module
from .places import factory, place

_OFFLOAD = "accelerate/hooks.py"


def moves(call: Call, cause: Cause) -> Fix:
    """The way out of a call whose operands are on different devices."""
    event = cause.event
    if event is not None and _is_offloaded(event):
        hook = f"the hook of {place(event.location)} moves it for its forward alone"
        return Fix(title=f"call the module, not a method of it: {hook}")
    if is_modules(call, cause):
        title = f"move the module: {module(call, event)}{_to(cause)}"
        return Fix(title=title, safe=safety.moved().safe)
    return _at_origin(call, cause, event) or _at_call(call, cause)


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
    title = f"move it to {cause.wanted} instead, at {place(event.location)}"
    return Fix(title=title, safe=safety.moved().safe)


def _at_call(call: Call, cause: Cause) -> Fix:
    name, where = cause.blamed.name, place(call.location)
    return Fix(
        title=f"move `{name}` before {call.op}, at {where}: {_to(cause)}",
        safe=safety.moved(in_place=call.writes_to(cause.blamed)).safe,
    )


def _to(cause: Cause) -> str:
    return f'.to("{cause.wanted}")'


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
        title=f"make it on {cause.wanted}, at {place(event.location)}: {call_there}",
        safe=safety.made_on(factory(event), event.dtype, other_dtype=bool(dtype)).safe,
    )


def _as_beside(cause: Cause) -> str:
    """The dtype of what it meets, where the default one would promote that; else ""."""
    other = cause.innocent.tensor.dtype if cause.innocent else ""
    born = cause.event.dtype if cause.event else ""
    default = cause.blamed.tensor.dtype == born == "float32"
    return other if default and other in ("float16", "bfloat16") else ""
