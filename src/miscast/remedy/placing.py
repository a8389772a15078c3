"""What to write where a tensor or a module is on the wrong device.

m = torch.ones(x.shape)         ->  make it on cuda:0, at train.py:9: torch.ones(x.shape, device=x.device)
b(a(x)), b on cuda:1            ->  move `input` before linear, at train.py:6: .to("cuda:1")
self.towers = [Tower()]         ->  keep `towers` in a torch.nn.ModuleList, at model.py:12
"""

from __future__ import annotations

from ..cause import Cause
from ..event import Call, Event
from ..finding import Fix
from . import passing, safety
from .line import call_of, parse, shared_name, with_keywords
from .owner import is_modules, module, unregistered
from .places import factory, place

_OFFLOAD = "accelerate/hooks.py"


def moves(call: Call, cause: Cause) -> Fix:
    """The way out of a call whose operands are on different devices."""
    target = f'.to("{cause.wanted}")'
    event = cause.event
    loose = unregistered(call, cause)
    if loose:
        return Fix(title=f"{loose}, so that `.to()` reaches it")
    if (
        event is not None
        and event.kind == "moved"
        and event.library
        and event.library.file.endswith(_OFFLOAD)
    ):
        hook = f"the hook of {place(event.location)} moves it for its forward alone"
        return Fix(title=f"call the module, not a method of it: {hook}")
    if is_modules(call, cause):
        return Fix(
            title=f"move the module: {module(call, event)}{target}",
            safe=safety.moved().safe,
        )
    if (
        event is not None
        and event.location is not None
        and _may_stand_there(call, cause, event)
    ):
        if event.kind == "moved":
            title = f"move it to {cause.wanted} instead, at {place(event.location)}"
            return Fix(title=title, safe=safety.moved().safe)
        made = _made(call, cause, event)
        if made is not None:
            return made
    into = cause.blamed.name == "self" and call.op.endswith("_")
    return Fix(
        title=f"move `{cause.blamed.name}` before {call.op}, at {place(call.location)}: {target}",
        safe=safety.moved(in_place=into).safe,
    )


def _may_stand_there(call: Call, cause: Cause, event: Event) -> bool:
    """Whether nothing but the call that failed met the tensor where an event put it; on the CPU nobody put it there."""
    told = passing.itself(call, cause, event)
    return cause.blamed.tensor.device == "cpu" if told is None else told


def _made(call: Call, cause: Cause, event: Event) -> Fix | None:
    """The factory's call, written with its device."""
    tree = call_of(parse(event.location.code if event.location else ""), factory(event))
    if event.kind != "born" or tree is None or event.library is not None:
        return None
    like = shared_name(tree, call.location.code)
    written = {"device": f"{like}.device" if like else f'"{cause.wanted}"'}
    dtype = _as_beside(cause)
    if dtype:
        written = {"dtype": f"{like}.dtype" if like else f"torch.{dtype}", **written}
    title = f"make it on {cause.wanted}, at {place(event.location)}: {with_keywords(tree, **written)}"
    return Fix(
        title=title,
        safe=safety.made_on(factory(event), event.dtype, other_dtype=bool(dtype)).safe,
    )


def _as_beside(cause: Cause) -> str:
    """The dtype of what it meets, where the default one would promote that; else ""."""
    other = cause.innocent.tensor.dtype if cause.innocent else ""
    born = cause.event.dtype if cause.event else ""
    return (
        other
        if cause.blamed.tensor.dtype == born == "float32"
        and other in ("float16", "bfloat16")
        else ""
    )
