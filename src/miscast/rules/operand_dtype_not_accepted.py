"""An op gets an operand of a dtype that it never takes.

## What
Class targets must be int64, indices int64 or int32, a mask bool; an in-place op cannot put a floating result into an
integer tensor.

## Why
No cast of the other operands helps: the op itself makes the demand.

## Example
    target = torch.zeros(8)                              # float32
    loss = F.nll_loss(log_probs, target)                 # nll_loss does not take float32 `target`: int64 is wanted

## Use instead
    target = torch.zeros(8, dtype=torch.int64)

## Fix safety
Safe where every value keeps its number: integers to a wider integer or to float64. A cast of fractions to an integer
cuts them off.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Call, Trace
from ..finding import Finding
from ..findings.finding_builder import make_finding, odd
from .gradient_dtype_mismatch import concerns_gradient
from .operand_dtype_mismatch import is_mix
from .unsupported_dtype import lacks_kernel


def find(trace: Trace) -> Iterator[Finding]:
    """Calls with an operand of a dtype that the op itself rules out."""
    for call in trace.calls:
        fixed = (
            call.violation.kind == "dtype"
            and not is_mix(call)
            and not concerns_gradient(call)
        )
        never = call.violation.kind == "unsupported" and not lacks_kernel(call)
        if (fixed or never or call.violation.kind == "kind") and not call.hidden:
            yield make_finding(__name__, call, _message(call))


def _message(call: Call) -> str:
    operand, wanted = odd(call), call.violation.expected
    if operand is None:
        return f"{call.op} wants {wanted}"
    if call.violation.kind == "kind":
        return f"{call.op} cannot write its {wanted} result into {operand.tensor.dtype} `{operand.name}`"
    like = next(
        (other for other in call.operands if other.name == call.violation.like), None
    )
    if like is not None:
        beside = f"{like.tensor.dtype} `{like.name}`"
        return f"{call.op} does not take {operand.tensor.dtype} `{operand.name}` beside {beside}"
    return f"{call.op} does not take {operand.tensor.dtype} `{operand.name}`: {wanted} is wanted"
