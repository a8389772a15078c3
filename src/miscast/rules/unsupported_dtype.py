"""An op has no kernel for a dtype on a device.

## What
torch implements an op per dtype and device: `"…" not implemented for 'Half'`. NumPy has no bfloat16 at all.

## Why
The program runs on the GPU and fails on the CPU (or the reverse), or fails at the last step, where it saves an image.

## Example
    image = decoded.cpu().numpy()                        # Tensor.numpy is not implemented for bfloat16 on cpu

## Use instead
    image = decoded.cpu().float().numpy()

## Fix safety
Safe: a cast to a wider dtype keeps every number.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import remedy
from ..event import Call, Trace
from ..finding import Finding, Fix
from .telling import odd, tell


def find(trace: Trace) -> Iterator[Finding]:
    """Calls for which torch has no kernel."""
    for call in trace.calls:
        if call.violation.kind == "unsupported" and not call.hidden:
            operand = odd(call)
            dtype = operand.tensor.dtype if operand else "this dtype"
            device = operand.tensor.device.partition(":")[0] if operand else "this device"
            message = f"{call.op} is not implemented for {dtype} on {device}"
            yield tell(__name__, call, message, fixes=_fixes(call))


def _fixes(call: Call) -> tuple[Fix, ...]:
    operand, wanted = odd(call), call.violation.expected
    if operand is None:
        return ()
    title = f"cast `{operand.name}` before {call.op}, at {remedy.place(call.location)}: .to(torch.{wanted})"
    return (Fix(title=title, safe=remedy.widens(operand.tensor.dtype, wanted)),)
