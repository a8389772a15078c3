"""NumPy reads a tensor that is not on the CPU.

## What it does
`tensor.numpy()`, `np.asarray(tensor)` and libraries that use them (PIL, matplotlib, scikit-learn) raise for a tensor
that is not on the CPU.

## Why is this bad?
NumPy can only read host memory.

## Example
    image = decoded.numpy()                              # decoded is on cuda:0

## Use instead
    image = decoded.cpu().numpy()

## Fix safety
Safe: a copy to the host changes no value. It waits for the device.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.event import Trace
from ...core.finding import Finding, Fix
from ...fixing.remedy import place
from ..findings.finding_builder import make_finding, odd


def find(trace: Trace) -> Iterator[Finding]:
    """Yield reads of device memory by NumPy."""
    for call in trace.calls:
        there = call.op == "Tensor.numpy" and call.violation.kind == "device"
        if there and not call.hidden:
            operand = odd(call)
            device = operand.tensor.device if operand else "a device"
            fix = Fix(
                title=f"copy it to the host first, at {place(call.location)}: .cpu().numpy()"
            )
            yield make_finding(
                __name__, call, f"NumPy cannot read a tensor on {device}", fixes=(fix,)
            )
