"""Find the operand of a failed call that is to blame, and the chain of events that led to it.

The operand that a contract calls odd is often innocent: torch holds the input against the weight, also when it is the
weight that nobody ever cast. Blame goes to the operand whose dtype (or device) came about by *accident*: a silent
promotion first, then a default, then what was taken over, then what somebody wrote down. Of devices, a tensor
that never left the CPU comes first, then one that was moved there, unless the op writes to it: its place was chosen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..core.dtypes import HALVES, category
from ..core.event import MODULE_TO, Call, Event, Location, Operand, Violation
from ..core.finding import Subject

PARAMETERS = frozenset({
    "weight", "bias", "running_mean", "running_var", "w_hh", "w_ih", "b_hh", "b_ih", "params",
})  # fmt: skip
# torch's, and that of NumPy and of a `torch.tensor` of it
_DEFAULTS = frozenset({"float32", "float64"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """The operand to blame, and the one that it does not fit (None where the op itself makes the demand).

    `wanted` is the dtype or device that the blamed operand should have had.
    """

    about: Subject
    blamed: Operand
    innocent: Operand | None
    wanted: str

    @property
    def event(self) -> Event | None:
        """The event that set the blamed operand's dtype or device."""
        return origin(self.blamed, self.about)

    @property
    def chain(self) -> tuple[Event, ...]:
        """The event and all events that led to it, newest first."""
        return self.event.chain() if self.event else ()

    @property
    def promotion(self) -> Event | None:
        """The first silent promotion that led to the blamed operand's dtype."""
        return next(
            (event for event in reversed(self.chain) if event.kind == "promoted"), None
        )


def of(call: Call) -> Cause | None:
    """Return the operand to blame for a call's violation; None if the call names none of its operands."""
    violation = call.violation
    by_name = {operand.name: operand for operand in call.operands}
    odd = next((by_name[name] for name in violation.odd if name in by_name), None)
    if odd is None:
        return None
    about = subject(violation)
    like = by_name.get(violation.like or "")
    if like is not None and _is_likelier(like, odd, call):
        wanted = odd.tensor.device if about == "device" else odd.tensor.dtype
        return Cause(about=about, blamed=like, innocent=odd, wanted=wanted)
    return Cause(about=about, blamed=odd, innocent=like, wanted=violation.expected)


def subject(violation: Violation) -> Subject:
    """Return what operands at odds differ in."""
    return "device" if violation.kind == "device" else "dtype"


def origin(operand: Operand, about: Subject) -> Event | None:
    """Return the event that gave an operand its dtype or its device."""
    return operand.device_origin if about == "device" else operand.dtype_origin


def forward_of(op: str, operands: Iterable[Operand]) -> tuple[str, Location] | None:
    """Return the op whose backward pass failed, and the line where it promoted its operands; None for another op."""
    name = op.removesuffix("_backward")
    for operand in operands if name != op else ():
        chain = operand.dtype_origin.chain() if operand.dtype_origin else ()
        for event in chain:
            if event.kind == "promoted" and event.op == name and event.location:
                return name, event.location
    return None


def is_parameter(operand: Operand) -> bool:
    """Check whether an operand is, by its name, a parameter or buffer of a module, if nothing else is known of it."""
    return operand.role != "activation" and operand.name.partition("[")[0] in PARAMETERS


def _is_likelier(like: Operand, odd: Operand, call: Call) -> bool:
    """Check whether the reference operand got its dtype or device more by accident, and could change instead."""
    if not _comparable(call.violation, odd, like):
        return False
    if call.violation.kind == "device":
        return _placed(like, call) < _placed(odd, call)
    if {like.tensor.dtype, odd.tensor.dtype} == HALVES:
        return _is_other_half(like, odd, call)
    return _chosen(like) < _chosen(odd)


def _is_other_half(like: Operand, odd: Operand, call: Call) -> bool:
    """Check whether `like` has the wrong half dtype: the machine lacks it, or the failing line casts to it."""
    lacks = [one.tensor.dtype in call.lacking for one in (like, odd)]
    if any(lacks):
        return not lacks[1]
    if _is_cast_here(like, call) and not _is_cast_here(odd, call):
        return _chosen(like) <= _chosen(odd)
    return _chosen(like) < _chosen(odd)


def _is_cast_here(operand: Operand, call: Call) -> bool:
    """Check whether the failing line itself casts an operand: of two half dtypes, that is the wrong one."""
    event = operand.dtype_origin
    if event is None or event.kind != "cast" or event.location is None:
        return False
    here = call.location
    return (event.location.file, event.location.line) == (here.file, here.line)


def _comparable(violation: Violation, odd: Operand, like: Operand) -> bool:
    """Check whether either operand could be made like the other: an integer target and a floating prediction cannot."""
    if violation.kind == "dtype":
        return category(odd.tensor.dtype) == category(like.tensor.dtype)
    return violation.kind == "device"


def _placed(operand: Operand, call: Call) -> int:
    """Return how much an operand's device was somebody's choice, 0 to 2."""
    event = operand.device_origin
    if operand.tensor.device == "cpu" and (event is None or event.kind != "moved"):
        return 0
    return 2 if operand.tensor.device != "cpu" or call.writes_to(operand) else 1


def _chosen(operand: Operand) -> int:
    """Return how much an operand's dtype was chosen: 0 by a silent promotion, 4 written down, 5 for a whole module.

    A default (1) that a module has is that of all it computes (2): what comes from a region of autocast has to fit it.
    Autocast's choice for an op (6) is not to be changed: it casts float32, and leaves float64 alone.
    """
    chain = operand.dtype_origin.chain() if operand.dtype_origin else ()
    if _is_autocast(operand):
        return 6
    if any(event.kind == "promoted" for event in chain):
        return 0
    if not chain:
        return 3
    first = chain[-1]
    if first.op == MODULE_TO:
        return 5
    if first.kind == "born":
        moved = operand.device_origin
        held = moved is not None and moved.op == MODULE_TO
        return 1 + held if _is_by_default(first) else 4
    return {"autocast": 1, "loaded": 3, "given": 3}.get(first.kind, 4)


def _is_autocast(operand: Operand) -> bool:
    event = operand.dtype_origin
    return event is not None and event.kind == "autocast" and not event.op


def _is_by_default(event: Event) -> bool:
    """Check whether a factory gave a default dtype to its tensor, for its line says nothing of dtypes."""
    code = event.location.code if event.location else ""
    said = any(word in code for word in ("dtype", "float32", "float64", "double"))
    return event.dtype in _DEFAULTS and not said
