"""The dtype that a failed op demands of an operand, by its contract; and that the call is in order with it.

`cross_entropy` of a float32 input with an int32 target demands int64 of the target.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..contracts import Contract, Input, contracts_for, judge
from ..vm.schema import TORCH_VERSION
from .frame_operands import FrameOperand

_SELF = "input"
"""What `functional.py` calls the argument that a schema calls `self`."""


def demanded(op: str, seen: Sequence[FrameOperand], odd: FrameOperand) -> str | None:
    """What to cast an operand to so that the op takes the call; None where no contract tells, or no cast is enough."""
    inputs = [_input(one) for one in seen]
    index = next(number for number, one in enumerate(seen) if one is odd)
    contract = next(
        filter(None, (_contract(name, inputs) for name in (op, f"{op}_loss"))), None
    )
    if contract is None:
        return None
    wanted = next(
        (
            violation.expected
            for violation in judge(contract, inputs)
            if violation.kind == "dtype" and inputs[index].name in violation.odd
        ),
        None,
    )
    if wanted is None:
        return None
    inputs[index] = replace(inputs[index], dtype=wanted)
    return wanted if not judge(contract, inputs) else None


def _contract(op: str, inputs: Sequence[Input]) -> Contract | None:
    device = inputs[0].device.partition(":")[0]
    return contracts_for(f"aten.{op}", device, TORCH_VERSION)


def _input(one: FrameOperand) -> Input:
    told = one.told
    return Input(
        name="self" if told.name == _SELF else told.name,
        dtype=told.dtype,
        device=told.device,
        dim=len(told.shape or ()),
    )
