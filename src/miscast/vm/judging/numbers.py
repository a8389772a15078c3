"""Python numbers among an op's arguments: whether the dtype that they go into holds them; if not, the nearest it has.

`scores.masked_fill(mask, -1e9)` raises where `scores` is float16. The run goes on with -65504.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...contracts.limits import nearest
from ...contracts.promotion import result_type
from ...contracts.scalars import SCALARS, Conversion, conversions, judge_number
from ...event import Violation
from ...provenance.record import find, is_tensor, view_of

if TYPE_CHECKING:
    import torch

    from ..call import Call
    from .recorder import Recorder

NUMBERED = frozenset(op for entry in SCALARS for op in entry.ops)
_PYTHON = (bool, int, float, complex)
# Ops that also take the number as a tensor without dimensions, whose value is read then and there.
_READING = frozenset({"masked_fill", "masked_fill_", "index_fill", "index_fill_", "where"})


def check_numbers(recorder: Recorder, call: Call, out: torch.Tensor | None = None, op: str = "") -> None:
    """Record the numbers of a call that do not fit, and put the nearest that fit in their place.

    `out` is the result of an op that has no tensors among its arguments, with its device as `call.device`; `op` the
    name that the program knows the op by, if another.
    """
    if not call.kwargs and all(is_tensor(a) and a.dim() for a in call.args):
        return  # `x + y`: the usual case, and no number in it
    op = op or call.plan.short
    if call.device is None or not (call.tensors or out is not None):
        return
    given = [
        (argument, usual, *number)
        for argument, usual in conversions(op, call.device.type).items()
        if (number := _number(call, argument, usual)) is not None
    ]
    if not given:
        return
    into = call.plan.writes[0] if call.plan.writes else ""
    named = [one for one in call.named() if one[0] == into] or call.named()[:1]
    own = str((out if out is not None else named[0][1]).dtype)[6:]
    for argument, usual, value, is_python in given:
        dtype = _result(call) if usual.startswith("result") else own
        conversion = "cast" if op == "where" and not is_python else usual
        found = judge_number(conversion, argument, value, dtype)
        if found is None:
            continue
        odd = () if out is not None or op == "where" else (named[0][0],)
        violation = Violation(
            kind="number", odd=odd, expected=found.dtype, error=found.error, value=spelled(value),
            argument="value" if argument == "s" else argument,
        )  # fmt: skip
        recorder.call(op, violation, named if odd else ())
        if found.error and is_python:
            held = nearest(value, found.dtype)
            _replace(call, argument, held + 1 if found.error.startswith("to - 1") else held)


def spelled(value: complex) -> str:
    """A number as people write it: "-1e9", "300"."""
    if not isinstance(value, float):
        return str(value)
    short = f"{value:g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    return short if float(short) == value else repr(value)


def _number(call: Call, argument: str, conversion: Conversion) -> tuple[Any, bool] | None:
    """The number given as an argument, and whether it is one of Python's; None if it is none, or not known."""
    plan = call.plan
    given: Any = call.kwargs.get(argument)
    if argument in plan.names and plan.names.index(argument) < len(call.args):
        given = call.args[plan.names.index(argument)]
    if isinstance(given, _PYTHON):
        return (float(given) if plan.short == "pad" and isinstance(given, int) else given), True
    if not is_tensor(given) or given.dim() or not (plan.short in _READING or _added(call, conversion)):
        return None
    record = find(given)
    if record is None or record.twin is None or record.assumed:
        return None
    return view_of(record.twin, given).item(), False


def _added(call: Call, conversion: Conversion) -> bool:
    """Whether a number is added as it is, to a tensor that decides the dtype of the result."""
    return conversion == "added" and call.kwargs.get("alpha", 1) == 1 and call.tensors[0].dim() > 0


def _result(call: Call) -> str:
    return result_type(one for one in call.inputs() if one.name != "condition")


def _replace(call: Call, argument: str, value: Any) -> None:
    if argument in call.kwargs:
        call.kwargs = {**call.kwargs, argument: value}
        return
    place = call.plan.names.index(argument)
    call.args = (*call.args[:place], value, *call.args[place + 1 :])
