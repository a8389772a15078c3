"""An op gets an operand of a dtype that it never accepts.

## What it does
Class targets must be int64, indices int64 or int32, and a mask bool. An in-place op cannot write a floating-point
result into an integer tensor.

## Why is this bad?
The requirement is the op's own, so casting the other operands does not help.

## Example
    target = torch.zeros(8)                              # float32
    loss = F.nll_loss(log_probs, target)                 # nll_loss does not accept float32 `target`: expected int64

## Use instead
    target = torch.zeros(8, dtype=torch.int64)

## Fix safety
Safe if every value is preserved: integers to a wider integer dtype or to float64. Casting fractions to integers
truncates them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.event import Call, Trace
from ...core.finding import Finding
from ..findings.finding_builder import make_finding, odd
from .gradient_dtype_mismatch import concerns_gradient
from .operand_dtype_mismatch import is_mix
from .unsupported_dtype import lacks_kernel


def find(trace: Trace) -> Iterator[Finding]:
    """Yield calls with an operand of a dtype that the op itself rules out."""
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
        return f"{call.op} expects {wanted}"
    if call.violation.kind == "kind":
        return f"{call.op} cannot write its {wanted} result into {operand.tensor.dtype} `{operand.name}`"
    like = next(
        (other for other in call.operands if other.name == call.violation.like), None
    )
    if like is not None:
        beside = f"{like.tensor.dtype} `{like.name}`"
        return f"{call.op} does not accept {operand.tensor.dtype} `{operand.name}` with {beside}"
    return f"{call.op} does not accept {operand.tensor.dtype} `{operand.name}`: expected {wanted}"
