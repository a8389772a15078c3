"""Which operand of a failed call is to blame, and the chain of events that made it so.

The operand that a contract calls odd is often innocent: torch holds the input against the weight, also when it is the
weight that nobody ever cast. Blame goes to the operand whose dtype (or device) came about by *accident*: a silent
promotion first, then a default, then what was taken over, then what somebody wrote down. Of devices, a tensor
that never left the CPU comes first, then one that was moved there, unless the op writes to it: its place was chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .dtypes import category, is_floating_point
from .event import Call, Event, Operand, Violation
from .finding import Subject

PARAMETERS = frozenset(
    {
        "weight",
        "bias",
        "running_mean",
        "running_var",
        "weight_hh",
        "weight_ih",
        "bias_hh",
        "bias_ih",
        "params",
    }
)
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
        """What gave the blamed operand its dtype or device."""
        return origin(self.blamed, self.about)

    @property
    def chain(self) -> tuple[Event, ...]:
        """That event and all behind it, newest first."""
        return self.event.chain() if self.event else ()

    @property
    def promotion(self) -> Event | None:
        """The first silent promotion behind the blamed operand."""
        return next(
            (event for event in reversed(self.chain) if event.kind == "promoted"), None
        )


def of(call: Call) -> Cause | None:
    """Who is to blame for a call's violation; None if the call names none of its operands."""
    violation = call.violation
    by_name = {operand.name: operand for operand in call.operands}
    odd = next((by_name[name] for name in violation.odd if name in by_name), None)
    if odd is None:
        return None
    about: Subject = "device" if violation.kind == "device" else "dtype"
    like = by_name.get(violation.like or "")
    both = like is not None and _comparable(violation, odd, like)
    if (
        like is not None
        and both
        and _accident(like, call, about) < _accident(odd, call, about)
    ):
        wanted = odd.tensor.device if about == "device" else odd.tensor.dtype
        return Cause(about=about, blamed=like, innocent=odd, wanted=wanted)
    return Cause(about=about, blamed=odd, innocent=like, wanted=violation.expected)


def origin(operand: Operand, about: Subject) -> Event | None:
    """The event that gave an operand its dtype or its device."""
    return operand.device_origin if about == "device" else operand.dtype_origin


def is_parameter(operand: Operand) -> bool:
    """Whether an operand is, by its name, a parameter or buffer of a module."""
    return operand.name.partition("[")[0] in PARAMETERS


def _comparable(violation: Violation, odd: Operand, like: Operand) -> bool:
    """Whether either operand could be made like the other: an integer target and a floating prediction cannot."""
    if violation.kind == "dtype":
        return category(odd.tensor.dtype) == category(like.tensor.dtype)
    return violation.kind == "device"


def _accident(operand: Operand, call: Call, about: Subject) -> int:
    """0: nobody chose this … 4: somebody wrote it down."""
    event = origin(operand, about)
    if about == "device":
        if operand.tensor.device != "cpu":
            return 4
        if event is None or event.kind != "moved":
            return 0
        return 4 if operand.name == "self" and call.op.endswith("_") else 3
    if event is None:
        return 2
    return _deliberate(event.chain())


def _deliberate(chain: Sequence[Event]) -> int:
    if any(event.kind == "promoted" for event in chain):
        return 0
    first = chain[-1]
    if first.kind == "born":
        stated = (
            not is_floating_point(first.dtype)
            or first.dtype not in _DEFAULTS
            or _spells(first)
        )
        return 4 if stated else 1
    return {"autocast": 1, "loaded": 2, "given": 2}.get(first.kind, 4)


def _spells(event: Event) -> bool:
    code = event.location.code if event.location else ""
    return any(word in code for word in ("dtype", "float32", "float64", "double"))
