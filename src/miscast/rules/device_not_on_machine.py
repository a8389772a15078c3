"""The program asks for a device that the machine does not have.

## What
`.cuda()` or `device="cuda"` where there is no GPU, `"mps"` on a Linux server, `"cuda:4"` on a machine with four GPUs
(their numbers end at 3).

Nor does a process have the GPU that was forked by one that uses it: CUDA cannot begin anew there.

## Why
A device written into the code works on the author's machine. The check goes on as if the program had asked for a
device that is there, so that it finds what comes after.

## Example
    model.cuda()                                         # --machine cpu

## Use instead
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.to(device)

## Fix safety
Safe: where a number is computed does not change its dtype.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Trace
from ..finding import Finding, Fix
from ..findings.finding_builder import make_finding

_ABSENT = (
    Fix(title='ask what there is: "cuda" if torch.cuda.is_available() else "cpu"'),
    Fix(title="check it on a machine that has one, with --machine"),
)
_FORKED = (
    Fix(
        title='start processes anew: mp.get_context("spawn"), or mp.set_start_method("spawn")'
    ),
    Fix(title="use the device in the processes alone"),
)


def find(trace: Trace) -> Iterator[Finding]:
    """Devices that were asked for in vain; the machine's nearest one was used instead."""
    for call in trace.calls:
        if (
            call.violation.kind == "absent"
            and "forked subprocess" in call.violation.error
        ):
            message = f"{call.op} cannot be used in a forked process: the one before has it in use"
            yield make_finding(__name__, call, message, fixes=_FORKED)
        elif call.violation.kind == "absent":
            yield make_finding(
                __name__,
                call,
                f"{call.op} does not exist on {trace.machine}",
                fixes=_ABSENT,
            )
