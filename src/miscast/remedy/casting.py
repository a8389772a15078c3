"""What to write where a tensor or a module has the wrong dtype.

mask = torch.ones(x.shape[0], 1)   ->  give `ones` its dtype at data.py:12: torch.ones(x.shape[0], 1, dtype=x.dtype)
erode = nn.Conv2d(1, 1, 3)         ->  cast the module: erode.to(torch.float16)
unet(latent.float())               ->  drop the cast at train.py:40, or cast to torch.float16 there

A line is named only if the change can stand there: what other layers met on the way keeps what it was for them.
"""

from __future__ import annotations

import ast
import re

from ..cause import Cause
from ..event import Call, Event
from ..finding import Fix
from . import passing, safety
from .line import call_of, parse, shared_name, short, with_keywords
from .owner import is_modules, makes_module, module, unregistered
from .places import factory, place

_SPELLED = re.compile(
    r"\.(?:float|double|half|bfloat16)\(\)|\btorch\.(?:float|double|half|bfloat)\w*"
)


def casts(call: Call, cause: Cause) -> tuple[Fix, ...]:
    """The ways out of a call whose operand has another dtype than it should: where it got it, and at the call."""
    if cause.innocent is None or unregistered(call, cause):
        return (_at_origin(call, cause),)
    return _at_origin(call, cause), _at_call(call, cause)


def _at_origin(call: Call, cause: Cause) -> Fix:
    loose = unregistered(call, cause)
    if loose:
        return Fix(title=f"{loose}, so that `.to()` reaches it")
    promotion = cause.promotion
    if promotion is not None:
        return _of_promotion(call, cause, promotion)
    event = _decisive(cause)
    if is_modules(call, cause) and (event is None or event.kind in ("born", "loaded")):
        return Fix(
            title=f"cast the module: {module(call, event)}.to({spelled(cause.wanted)})"
        )
    if event is None or event.location is None:
        return _at_call(call, cause)
    if event.kind == "cast" and passing.itself(call, cause, event) is False:
        return _at_call(call, cause)  # what met it in between wants it as it is
    return Fix(title=_at_event(event, cause), safe=_is_safe(call, cause, event))


def _of_promotion(call: Call, cause: Cause, promotion: Event) -> Fix:
    """The operand that forced a promotion is cast before it: at its birth, or at its own cast."""
    forced = promotion.source or cause.chain[-1]
    ours = forced.location is not None and (
        forced.library is None or _function_result(forced) is not None
    )
    schedule = any(factory(event) in safety.SCHEDULE for event in forced.chain())
    rounded = schedule and not safety.widens(forced.dtype, cause.wanted)
    if ours and forced.kind in ("born", "cast", "loaded") and not rounded:
        beside = promotion.location.code if promotion.location else ""
        return Fix(
            title=_at_event(forced, cause, beside), safe=_is_safe(call, cause, forced)
        )
    where = place(promotion.location)
    title = f"cast the {forced.dtype} operand of `{factory(promotion)}` before it, at {where}"
    return Fix(title=f"{title}: .to({spelled(cause.wanted)})")


def _decisive(cause: Cause) -> Event | None:
    """The event whose line is to change: the oldest, or the cast after it that says the same in so many words."""
    chain = cause.chain
    said = (
        e
        for e in chain[:-1]
        if e.kind == "cast" and e.location and _SPELLED.search(e.location.code)
    )
    return next(said, chain[-1] if chain else None)


def _at_event(event: Event, cause: Cause, beside: str = "") -> str:
    where, to = place(event.location), f".to({spelled(cause.wanted)})"
    if event.kind == "born":
        return _at_birth(event, cause.wanted, beside)
    if event.kind == "cast" and event.source is not None:
        return f"cast to {spelled(cause.wanted)} at {where}, not to {event.dtype}"
    if event.kind == "cast":
        return f"drop the cast at {where}, or cast to {spelled(cause.wanted)} there"
    if event.kind == "loaded":
        return f"load it as {cause.wanted} at {where}, or cast it after loading: {to}"
    if event.kind == "autocast":
        return f"{event.op} returns {event.dtype} under autocast ({where}): cast its result with {to}"
    return f"cast it where it is made, at {where}: {to}"


def _at_birth(event: Event, wanted: str, beside: str) -> str:
    """With the line's call rewritten, where it stands there; `beside` is a line that reads tensors of that dtype."""
    where, name = place(event.location), factory(event)
    tree = parse(event.location.code if event.location else "")
    call = call_of(tree, name)
    if call is not None and event.library is None:
        like = shared_name(call, beside)
        told = with_keywords(call, dtype=f"{like}.dtype" if like else spelled(wanted))
        return f"give `{name}` its dtype at {where}: {told}"
    made = makes_module(event)
    if made:
        return f"cast the module made at {where}: {made}.to({spelled(wanted)})"
    result = _function_result(event) if event.library is not None else None
    return f"cast it where it is born, at {where}: {result or ''}.to({spelled(wanted)})"


def _function_result(event: Event) -> str | None:
    """The call of a library's function on a line (`embed(t, 320)`), whose result is the tensor; no class's."""
    tree = parse(event.location.code) if event.location else None
    value = tree.value if isinstance(tree, ast.Assign) else None
    if not isinstance(value, ast.Call):
        return None
    name = ast.unparse(value.func).rpartition(".")[2]
    return short(ast.unparse(value)) if name.islower() else None


def _at_call(call: Call, cause: Cause) -> Fix:
    name, have = cause.blamed.name, cause.blamed.tensor.dtype
    if is_modules(call, cause):
        return Fix(
            title=f"cast the module: {module(call, None)}.to({spelled(cause.wanted)})"
        )
    into = name == "self" and call.op.endswith("_")
    return Fix(
        title=f"cast `{name}` before {call.op} at {place(call.location)}: .to({spelled(cause.wanted)})",
        safe=safety.cast_at_call(have, cause.wanted, in_place=into).safe,
    )


def _is_safe(call: Call, cause: Cause, event: Event) -> bool:
    if event.kind != "born" or is_modules(call, cause):
        return False
    made = event.location if event.library is None and call.library is None else None
    alone = made is not None and passing.alone(
        call.op, call.location, made, factory(event)
    )
    return safety.made_as(
        factory(event), cause.blamed.tensor.dtype, cause.wanted, alone=alone
    ).safe


def spelled(dtype: str) -> str:
    """A dtype as a program writes it."""
    return f"torch.{dtype}"
