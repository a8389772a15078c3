"""Arguments other than tensors: numbers that the dtype they go into must hold, a generator of the op's device.

`scores.masked_fill(mask, -1e9)` raises where `scores` is float16. The run goes on with -65504, the nearest it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from ...core.event import Violation
from ...torch_facts.contracts.limits import nearest
from ...torch_facts.contracts.promotion import result_type
from ...torch_facts.contracts.scalars import (
    SCALARS,
    Conversion,
    conversions,
    judge_number,
)
from ..provenance import factories
from ..provenance.record import Record, device_of, find, is_tensor, view_of
from ..torch_api.queries import is_virtual

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...torch_facts.contracts.scalars import Overflow
    from ..call import Call
    from .recorder import Recorder

NUMBERED = frozenset(op for entry in SCALARS for op in entry.ops)
_FILLS = frozenset({"full", "full_like", "new_full", "fill", "fill_"})
_PYTHON = (bool, int, float, complex)
# Ops that also take the number as a tensor without dimensions, whose value is read then and there.
_READING = frozenset(
    {"masked_fill", "masked_fill_", "index_fill", "index_fill_", "where"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Number:
    """A known number among the arguments; `of_result` says that it goes into the dtype of the result."""

    argument: str
    value: Any
    is_python: bool
    of_result: bool
    conversion: Conversion


def check_numbers(
    recorder: Recorder, call: Call, out: torch.Tensor | None = None, op: str = ""
) -> None:
    """Record the numbers of a call that do not fit, and put the nearest that fit in their place.

    `out` is the result of an op that has no tensors among its arguments, with its device as `call.device`; `op` the
    name that the program knows the op by, if another.
    """
    if not call.kwargs and all(is_tensor(a) and a.dim() for a in call.args):
        return  # `x + y`: the usual case, and no number in it
    op = op or call.plan.short
    if call.device is not None and (call.tensors or out is not None):
        given = list(_numbers(call, op, call.device.type, out))
        if given:
            _check(recorder, call, out, op, given)


def _check(
    recorder: Recorder,
    call: Call,
    out: torch.Tensor | None,
    op: str,
    given: list[_Number],
) -> None:
    named = _target(call)
    if out is None and named[0][1].is_quantized:
        return  # it holds real numbers, by a scale
    own = str((out if out is not None else named[0][1]).dtype)[6:]
    odd = () if out is not None or op == "where" else (named[0][0],)
    for number in given:
        dtype = _result(call) if number.of_result else own
        found = judge_number(number.conversion, number.argument, number.value, dtype)
        if found is None:
            continue
        recorder.call(op, _violation(number, found, odd), named if odd else ())
        if found.error and number.is_python:
            call.put(number.argument, _nearest(number.value, found))


def check_generator(
    recorder: Recorder,
    accelerator: str,
    op: str,
    generator: torch.Generator | None,
    device: torch.device | None,
) -> None:
    """Record a generator of another kind than `device` (ATen/core/Generator.h, check_generator).

    `accelerator` is the kind of device that the machine's own generators are of.
    """
    if generator is None or device is None:
        return
    kind = accelerator if is_virtual(generator) else "cpu"
    if kind == device.type:
        return
    error = f"Expected a '{device.type}' device type for generator but found '{kind}'"
    violation = Violation(
        kind="device", odd=("generator",), expected=str(device), error=error
    )
    state = factories.empty(0, dtype=torch.uint8, device="meta")
    recorder.call(
        op, violation, [("generator", state, Record(device_of(kind), None, None))]
    )


def spelled(value: complex) -> str:
    """Return a number as people write it: "-1e9", "300"."""
    if not isinstance(value, float):
        return str(value)
    short = f"{value:g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    return short if float(short) == value else repr(value)


def _numbers(
    call: Call, op: str, device: str, out: torch.Tensor | None
) -> Iterator[_Number]:
    """Yield the numbers among a call's arguments that are known."""
    given = dict(call.given())
    for argument, usual in conversions(op, device).items():
        if (known := _known(call, given.get(argument), usual)) is not None:
            value, is_python = known
            yield _Number(
                argument=argument,
                value=value,
                is_python=is_python,
                of_result=usual.startswith("result"),
                conversion=_conversion(call, usual, device, out, is_python),
            )


def _conversion(
    call: Call, usual: Conversion, device: str, out: torch.Tensor | None, python: bool
) -> Conversion:
    """Return what becomes of a number of this call, one of Python's or a tensor."""
    short = call.plan.short
    if short == "where" and not python:
        return "cast"
    if usual != "own" or device != "cpu" or short not in _FILLS:
        return usual
    # for one element the CPU has no kernel (ATen/native/Fill.cpp, scalar_fill)
    into = call.tensors[0] if out is None else out
    return "stored" if into.numel() == 1 else usual


def _known(call: Call, given: Any, conversion: Conversion) -> tuple[Any, bool] | None:
    """Return the number given as an argument, and whether it is a Python number; None if not a number, or unknown."""
    short = call.plan.short
    if isinstance(given, _PYTHON):
        return (
            float(given) if short == "pad" and isinstance(given, int) else given
        ), True
    if (
        not is_tensor(given)
        or given.dim()
        or not (short in _READING or _added(call, conversion))
    ):
        return None
    value = _value(given)
    return None if value is None else (value, False)


def _value(tensor: torch.Tensor) -> Any:
    record = find(tensor)
    if record is None or record.twin is None or record.assumed:
        return None
    return view_of(record.twin, tensor).item()


def _target(call: Call) -> list[tuple[str, torch.Tensor, Record]]:
    """Return the operand that the numbers go into: the one that is written to, else the first."""
    named, written = call.named(), call.plan.writes[:1]
    return [one for one in named if one[0] in written] or named[:1]


def _violation(number: _Number, found: Overflow, odd: tuple[str, ...]) -> Violation:
    argument = "value" if number.argument == "s" else number.argument
    return Violation(
        kind="number",
        odd=odd,
        expected=found.dtype,
        error=found.error,
        value=spelled(number.value),
        argument=argument,
    )


def _nearest(value: Any, found: Overflow) -> Any:
    held = nearest(value, found.dtype)
    # a bound that the op itself takes one off
    return held + 1 if found.error.startswith("to - 1") else held


def _added(call: Call, conversion: Conversion) -> bool:
    """Check whether a number is added without a factor, to a tensor that decides the result's dtype."""
    return (
        conversion == "added"
        and call.kwargs.get("alpha", 1) == 1
        and call.tensors[0].dim() > 0
    )


def _result(call: Call) -> str:
    return result_type(one for one in call.inputs() if one.name != "condition")
