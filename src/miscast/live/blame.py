"""Find the operand of a failed call to change, and how. A change with which the call was seen to run comes first.

total += loss               total int64, loss float32: torch takes a float32 `total`; an int64 `loss` loses numbers
cross_entropy(out, labels)  labels int32: torch takes int64, not the float32 of `out`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..core.dtypes import category
from ..core.event import Call, Location, Violation
from ..judging import cause as causes
from ..judging.cause import Cause
from .trial import Trial, trial

if TYPE_CHECKING:
    from types import TracebackType

    from ..core.finding import Finding
    from .frame_operands import FrameOperand

_PARAMETERS = ("weight", "bias")


@dataclass(frozen=True, slots=True, kw_only=True)
class Advised:
    """An operand to change, in the words of the rule engine, which knows what to write for it."""

    call: Call
    cause: Cause
    odd: FrameOperand
    tried: bool | None
    """True if the call runs with that change on the virtual machine; None if it cannot be repeated there."""


def advice(
    explanation: Finding,
    seen: Sequence[FrameOperand],
    traces: Sequence[TracebackType],
    location: Location,
) -> Advised | None:
    """Return the best change that may fix a call; None if no line gave the operand its dtype or device."""
    attempt = trial(seen, traces, explanation.about)
    found = [
        _tried(one, attempt, seen)
        for one in _changes(explanation, seen, attempt, location)
        if one.cause.event is not None
    ]
    return min(found, key=_worse, default=None)


def _worse(one: Advised) -> tuple[bool, int]:
    """Return a sort key: refused changes last; before them those that lose precision, as a float made an integer."""
    return one.tried is False, _lowered(one.cause)


def _lowered(cause: Cause) -> int:
    if cause.about == "device":
        return 0
    lost = category(cause.blamed.tensor.dtype) - category(cause.wanted)
    return int(lost > 0 and cause.innocent is not None)


def _tried(
    one: Advised, attempt: Trial | None, seen: Sequence[FrameOperand]
) -> Advised:
    if attempt is None:
        return one
    changed = {
        number: one.cause.wanted
        for number, other in enumerate(seen)
        if other is one.odd or _is_of_same_module(other, one)
    }
    return replace(one, tried=attempt.takes(changed))


def _is_of_same_module(other: FrameOperand, one: Advised) -> bool:
    """Check whether an operand is converted with the one to change, for both are a module's and alike."""
    both = (other.told.role, one.odd.told.role)
    alike = other.told.tensor.dtype == one.odd.told.tensor.dtype
    return alike and all(role in _PARAMETERS for role in both)


def _changes(
    explanation: Finding,
    seen: Sequence[FrameOperand],
    attempt: Trial | None,
    location: Location,
) -> Iterator[Advised]:
    """Yield what the virtual machine demands, first if it is fixed.

    And each of two operands that differ as the other is.
    """
    demanded = (
        None if attempt is None else _demanded(attempt, seen, explanation, location)
    )
    fixed = demanded is not None and _is_fixed(demanded, seen)
    if demanded is not None and fixed:
        yield demanded
    yield from _each_like_the_other(explanation, seen, location, both=bool(attempt))
    if demanded is not None and not fixed:
        yield demanded


def _each_like_the_other(
    explanation: Finding,
    seen: Sequence[FrameOperand],
    location: Location,
    *,
    both: bool,
) -> Iterator[Advised]:
    """Yield the more likely operand changed to match the other; then, if `both` can be tried, the reverse."""
    odd, like = _at_odds(explanation, seen)
    if odd is None or like is None:
        return
    base = _advised(explanation, location, odd, like, explanation.value(like.told))
    if base is None:
        return
    yield base
    if both and base.cause.innocent is not None:
        other = odd if base.odd is like else like
        swapped = replace(
            base.cause,
            blamed=base.cause.innocent,
            innocent=base.cause.blamed,
            wanted=explanation.value(base.odd.told),
        )
        yield replace(base, cause=swapped, odd=other)


def _is_fixed(one: Advised, seen: Sequence[FrameOperand]) -> bool:
    """Check whether an op demands a dtype that no other operand has: int64 of a target, bool of a mask."""
    return all(one.cause.wanted != other.told.tensor.dtype for other in seen)


def _advised(
    explanation: Finding,
    location: Location,
    odd: FrameOperand,
    like: FrameOperand | None,
    expected: str,
) -> Advised | None:
    names = [odd.name, like.name] if like is not None else [odd.name]
    # two weights: the rule engine tells operands apart by their names
    if like is not None and odd.name == like.name:
        names = [odd.told.path, like.told.path]
    pairs = zip(names, filter(None, (odd, like)), strict=True)
    call = Call(
        op=explanation.op or "the op",
        phase="program",
        location=location,
        operands=tuple(replace(one.told, name=name) for name, one in pairs),
        violation=Violation(
            kind=explanation.about,
            odd=(names[0],),
            like=names[1] if like is not None else None,
            expected=expected,
        ),
    )
    cause = causes.of(call)
    if cause is None:
        return None
    blamed = odd if like is None or cause.blamed.name == names[0] else like
    return Advised(call=call, cause=cause, odd=blamed, tried=None)


def _demanded(
    attempt: Trial,
    seen: Sequence[FrameOperand],
    explanation: Finding,
    location: Location,
) -> Advised | None:
    """Return the operand that mismatches on the virtual machine, changed as that requires."""
    violation = attempt.refused.violation
    if violation.kind != "dtype" or attempt.about != "dtype":
        return None
    metas = [
        (one.tensor.dtype, one.tensor.shape)
        for one in attempt.refused.operands
        if one.name in violation.odd
    ]
    for one in seen:
        if (one.told.tensor.dtype, one.told.tensor.shape) in metas:
            return _advised(explanation, location, one, None, violation.expected)
    return None


def _at_odds(
    explanation: Finding, seen: Sequence[FrameOperand]
) -> tuple[FrameOperand | None, FrameOperand | None]:
    """Return two operands that differ; a parameter is the reference for the other one."""
    for one in seen:
        for other in seen:
            if explanation.value(one.told) != explanation.value(other.told):
                return (other, one) if one.told.role in _PARAMETERS else (one, other)
    return None, None
