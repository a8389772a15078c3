"""Build findings from broken contracts: code that the rules share, and the words for operands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...core.event import Call, Event, Location, Operand
from ...core.finding import Finding, Fix, Related, Severity
from ...fixing import remedy
from .. import cause
from ..cause import Cause

_CALLERS = 3
_TAKEN_OVER = frozenset(
    {"torch.from_numpy", "torch.as_tensor", "torch.asarray", "torch.tensor"}
)
"""Functions that give a tensor an array's dtype: the relevant line may be the array's."""
_WORD = re.compile(r"[a-z]\w*")


def make_finding(
    rule: str,
    call: Call,
    message: str,
    *,
    severity: Severity = "error",
    fixes: Sequence[Fix] | None = None,
) -> Finding:
    """Return the finding for a call. `rule` is the rule's `__name__`; `fixes` replace the edits of `remedy`."""
    found = cause.of(call)
    finding = Finding(
        rule=rule.rpartition(".")[2].replace("_", "-"),
        severity=severity,
        message=message,
        op=call.op,
        phase=call.phase,
        location=call.location,
        about=cause.subject(call.violation),
        operands=involved(call),
        related=tuple(_related(call, found)),
        error=call.violation.error,
        raises=_raised(call),
        count=call.count,
        blamed=found.blamed.name if found else "",
        wanted=found.wanted if found else call.violation.expected,
        callers=call.callers,
    )
    if fixes is None:
        words = remedy.of_hook(finding) or remedy.in_words(finding)
        fixes = () if words is None else (words,)
    return replace(finding, fixes=tuple(fixes))


def _related(call: Call, found: Cause | None) -> Iterator[Related]:
    """Yield the library's line, the user's lines that led there, and those that set the blamed operand's name."""
    if call.library:
        yield Related(label="in", location=call.library)
    if call.forced:
        yield Related(label="on a branch explored at", location=call.forced)
    inner = [caller for caller in call.callers if caller.function != "<module>"]
    few = (inner or call.callers[:1])[:_CALLERS]
    yield from (Related(label="called from", location=caller) for caller in few)
    yield from (
        Related(label="autocast off at", location=region) for region in call.off
    )
    yield from (
        Related(label="defined at", location=place) for place in _setting(call, found)
    )


def _setting(call: Call, found: Cause | None) -> Iterator[Location]:
    """Yield the lines that set a relevant name, except those already in an operand's history."""
    about = cause.subject(call.violation)
    origins = {one.name: cause.origin(one, about) for one in involved(call)}
    events = {name: event for name, event in origins.items() if event is not None}
    stories = (event.chain() for event in events.values())
    told = {_line(event.location) for story in stories for event in story}
    names = _that_matter(call, found, events)
    for name, place in call.held:
        if name in names and _line(place) not in told:
            yield place


def _that_matter(
    call: Call, found: Cause | None, events: Mapping[str, Event]
) -> set[str]:
    """Return the blamed operand, else the first that a line sets, and those with the dtype of an array."""
    names = {found.blamed.name} if found else {name for name, _ in call.held[:1]}
    return names | {name for name, event in events.items() if event.op in _TAKEN_OVER}


def _line(place: Location | None) -> tuple[str, int] | None:
    return (place.file, place.line) if place else None


def involved(call: Call) -> tuple[Operand, ...]:
    """Return the mismatching operands, in the order of the call: the offending ones and their reference."""
    names = {*call.violation.odd, call.violation.like}
    known = tuple(operand for operand in call.operands if operand.name in names)
    return known or call.operands


def mix(call: Call) -> str:
    """Return the operands that are at odds, by dtype: "float32 `input` with float16 `weight` and `bias`"."""
    groups: dict[str, list[str]] = {}
    for operand in _told_of(call):
        groups.setdefault(operand.tensor.dtype, []).append(f"`{operand.name}`")
    return " with ".join(
        f"{dtype} {_several(names)}" for dtype, names in groups.items()
    )


def _told_of(call: Call) -> tuple[Operand, ...]:
    """Return the operands at odds, and one of the same dtype that torch's text names, as the bias of conv2d."""
    at_odds = involved(call)
    words = set(_WORD.findall(call.violation.error.lower()))
    like = call.violation.like
    alike = {one.tensor.dtype for one in at_odds if one.name == like}
    named = [
        o.name for o in call.operands if o.tensor.dtype in alike and o.name in words
    ]
    alone = named if len(named) == 1 else ()
    return tuple(o for o in call.operands if o in at_odds or o.name in alone)


def odd(call: Call) -> Operand | None:
    """Return the first operand that does not fit."""
    named = (one for one in call.operands if one.name in call.violation.odd)
    return next(named, None)


def _raised(call: Call) -> str:
    lacking = "not implemented for" in call.violation.error
    missing = call.violation.kind == "unsupported" and lacking
    return "NotImplementedError" if missing else call.violation.raises


def _several(names: Sequence[str]) -> str:
    shown = list(names) if len(names) <= 3 else [*names[:2], f"{len(names) - 2} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
