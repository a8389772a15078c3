"""What to write where a tensor or a module has the wrong dtype.

mask = torch.ones(x.shape[0], 1)   ->  give `ones` its dtype at data.py:12: torch.ones(x.shape[0], 1, dtype=x.dtype)
erode = nn.Conv2d(1, 1, 3)         ->  cast the module: erode.to(torch.float16)
unet(latent.float())               ->  drop the cast at train.py:40, or cast to torch.float16 there

A line is named only if the change can stand there: what other layers met on the way keeps what it was for them.
"""

from __future__ import annotations

import ast
import re

from ..cause import Cause, forward_of
from ..event import Call, Event, Location, Operand
from ..finding import Fix
from . import passing, safety
from .calls import called
from .line import (
    call_at,
    shared_name,
    short,
    statement_at,
    with_keywords,
    writes,
)
from .owner import is_modules, makes_module, module
from .places import factory, place

_SPELLED = re.compile(
    r"\.(?:float|double|half|bfloat16)\(\)|\btorch\.(?:float|double|half|bfloat)\w*"
)
_AT_EVENT = {
    "cast": "drop the cast at {where}, or cast to {to} there",
    "loaded": "load it as {dtype} at {where}, or cast it after loading: .to({to})",
    "autocast": "{op} returns {was} under autocast ({where}): cast its result with .to({to})",
}
"""What to write where a tensor got its dtype, by the kind of the event."""


_TAKES_NONE = frozenset({"from_numpy", "from_dlpack"})
"""Factories without an argument for the dtype."""


def casts(call: Call, cause: Cause) -> tuple[Fix, ...]:
    """Return the ways out of a call whose operand has the wrong dtype: a cast there, then a change of its origin.

    The cast of an operand that the call writes to comes last, since it would write to a copy.
    """
    forward = forward_of(call.op, call.operands)
    if forward is not None and cause.innocent is not None:
        return (_in_forward(*forward, cause.blamed, cause.innocent),)
    origin = _at_origin(call, cause)
    if cause.innocent is None or is_modules(call, cause):
        return (origin or _at_call(call, cause),)
    ways = filter(None, (_at_call(call, cause), origin))
    return tuple(ways)[:: -1 if writes(call, cause.blamed) else 1]


def _in_forward(op: str, line: Location, one: Operand, other: Operand) -> Fix:
    """What the op of a backward pass was given, cast up: no line of the program's hands a formula its operands."""
    widens = safety.widens(one.tensor.dtype, other.tensor.dtype)
    narrow, wide = (one, other) if widens else (other, one)
    where = f"before {op} at {place(line)}"
    return Fix(title=f"cast `{narrow.name}` {where}: .to({spelled(wide.tensor.dtype)})")


def _at_origin(call: Call, cause: Cause) -> Fix | None:
    promotion = cause.promotion
    if promotion is not None:
        return _of_promotion(cause, promotion)
    event = _decisive(cause)
    if is_modules(call, cause) and (event is None or event.kind in ("born", "loaded")):
        return _of_module(call, cause, event)
    if event is None or event.location is None:
        return None
    if event.kind == "cast" and not _may_be_dropped(call, cause, event):
        return None
    return Fix(title=_at_event(event, cause))


def _may_be_dropped(call: Call, cause: Cause, event: Event) -> bool:
    """Check that nothing met the tensor between a cast and the call: a norm or a softmax may want it as it is.

    A cast up is made for such: of one it has to be known.
    """
    itself = passing.itself(call, cause, event)
    meant = call.phase == "forward" and safety.widens(cause.wanted, event.dtype)
    return itself is True if meant else itself is not False


def _of_module(call: Call, cause: Cause, event: Event | None) -> Fix:
    name = module(call, event)
    return Fix(title=f"cast the module: {name}.to({spelled(cause.wanted)})")


def _of_promotion(cause: Cause, promotion: Event) -> Fix:
    """The operand that forced a promotion is cast before it: at its birth, or at its own cast."""
    forced = promotion.source or cause.chain[-1]
    if _may_change(forced) and not _is_rounded(forced, cause.wanted):
        return Fix(title=_at_event(forced, cause, promotion.location))
    where = place(promotion.location)
    title = f"cast the {forced.dtype} operand of `{factory(promotion)}` before it, at {where}"
    return Fix(title=f"{title}: .to({spelled(cause.wanted)})")


def _may_change(event: Event) -> bool:
    """Whether a line of the program's own gave a tensor its dtype."""
    if event.location is None or event.kind not in ("born", "cast", "loaded"):
        return False
    return event.library is None or _function_result(event) is not None


def _is_rounded(event: Event, wanted: str) -> bool:
    """Whether positions, times or angles lie behind a tensor, which the wanted dtype would round."""
    schedule = any(factory(one) in safety.SCHEDULE for one in event.chain())
    return schedule and not safety.widens(event.dtype, wanted)


def _decisive(cause: Cause) -> Event | None:
    """The event whose line is to change: the oldest, or the cast after it that says the same in so many words."""
    chain = cause.chain
    said = (
        e
        for e in chain[:-1]
        if e.kind == "cast" and e.location and _SPELLED.search(e.location.code)
    )
    return next(said, chain[-1] if chain else None)


def _at_event(event: Event, cause: Cause, beside: Location | None = None) -> str:
    where, to = place(event.location), spelled(cause.wanted)
    if event.kind == "born":
        return _at_birth(event, cause.wanted, beside)
    if event.kind == "cast" and event.source is not None:
        return f"cast to {to} at {where}, not to {event.dtype}"
    words = _AT_EVENT.get(event.kind, "cast it where it is made, at {where}: .to({to})")
    return words.format(
        where=where, to=to, dtype=cause.wanted, op=event.op, was=event.dtype
    )


def _at_birth(event: Event, wanted: str, beside: Location | None) -> str:
    """With the line's call rewritten, where it stands there; `beside` is a line that reads tensors of that dtype."""
    where, name = place(event.location), factory(event)
    call = call_at(event.location, name)
    if call is not None and event.library is None:
        like = shared_name(call, beside)
        to = f"{like}.dtype" if like else spelled(wanted)
        if name in _TAKES_NONE:
            return (
                f"cast what `{name}` makes at {where}: {with_keywords(call)}.to({to})"
            )
        told = with_keywords(call, dtype=to)
        return f"give `{name}` its dtype at {where}: {told}"
    made = makes_module(event)
    if made:
        return f"cast the module made at {where}: {made}.to({spelled(wanted)})"
    result = _function_result(event) if event.library is not None else None
    return f"cast it where it is born, at {where}: {result or ''}.to({spelled(wanted)})"


def _function_result(event: Event) -> str | None:
    """The call of a library's function on a line (`embed(t, 320)`), whose result is the tensor; no class's."""
    match statement_at(event.location):
        case ast.Assign(value=ast.Call() as value) if called(value).islower():
            return short(ast.unparse(value))
    return None


def _at_call(call: Call, cause: Cause) -> Fix:
    if is_modules(call, cause):
        return _of_module(call, cause, None)
    where = f"before {call.op} at {place(call.location)}"
    return Fix(
        title=f"cast `{cause.blamed.name}` {where}: .to({spelled(cause.wanted)})"
    )


def spelled(dtype: str) -> str:
    """A dtype as a program writes it."""
    return f"torch.{dtype}"
