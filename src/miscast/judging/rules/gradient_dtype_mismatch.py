"""A gradient's dtype differs from that of its parameter or of the optimizer state.

## What it does
`p.grad = g` requires `g` to have the dtype of `p`. Adam's moments have the dtype of the parameter and are combined with
the gradient in `lerp_`. A backward formula expects the gradient in the dtype of the forward pass.

## Why is this bad?
torch does not check `p.grad.data = p.grad.float()`. The optimizer step or the next backward pass then fails: `expected
dtype c10::BFloat16 for `end` but got dtype float`.

## Example
    for p in model.parameters():                         # bfloat16
        p.grad.data = p.grad.data.float()
    optimizer.step()                                     # the optimizer's _foreach_lerp_ mixes bfloat16 with float32

## Use instead
    model = model.float()                                # float32 parameters, bfloat16 compute under autocast

## Fix safety
Not safe: float32 parameters represent every bfloat16 number, but receive smaller updates. Casting the gradient to
bfloat16 rounds it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.event import Call, Trace
from ...core.finding import Finding
from ..findings.finding_builder import make_finding, mix


def concerns_gradient(call: Call) -> bool:
    """Check whether a dtype mismatch is one between a gradient and what it belongs to."""
    if call.violation.kind != "dtype" or call.violation.like is None:
        return False
    between = (*call.violation.odd, call.violation.like)
    of_gradient = call.op == "Tensor.grad" or call.phase == "optimizer"
    return of_gradient or any("grad" in name for name in between)


def find(trace: Trace) -> Iterator[Finding]:
    """Gradients that do not fit."""
    for call in trace.calls:
        if concerns_gradient(call) and not call.hidden:
            yield make_finding(__name__, call, _message(call))


def _message(call: Call) -> str:
    if call.op == "Tensor.grad":
        dtypes = {operand.name: operand.tensor.dtype for operand in call.operands}
        return f"a {dtypes.get('grad', 'different')} gradient is assigned to a {dtypes.get('self', 'different')} tensor"
    at = {"optimizer": "the optimizer's ", "backward": "the backward pass's "}.get(
        call.phase, ""
    )
    return f"{at}{call.op} mixes {mix(call)}"
