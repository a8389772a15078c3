"""The program asks for a device that the machine does not have.

## What it does
`.cuda()` or `device="cuda"` on a machine without a GPU, `"mps"` on a Linux server, or `"cuda:4"` on a machine with four
GPUs (numbered 0 to 3). Also reported: CUDA in a process that was forked from one that already uses it, because CUDA
cannot be initialized again there.

## Why is this bad?
A hard-coded device works on the author's machine only. To find later mistakes too, the check continues as if the
program had asked for a device that exists.

## Example
    model.cuda()                                         # --machine cpu

## Use instead
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.to(device)

## Fix safety
Safe: the device does not change a tensor's dtype.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.event import Trace
from ...core.finding import Finding, Fix
from ...core.machines import find as find_machine
from ..findings.finding_builder import make_finding

_EXISTS = 'use a device that exists: "cuda" if torch.cuda.is_available() else "cpu"'
_ABSENT = (
    Fix(title=_EXISTS),
    Fix(title="check for a machine that has one, with --machine"),
)
_SPAWN = 'start processes with "spawn": mp.get_context("spawn"), or mp.set_start_method("spawn")'
_FORKED = Fix(title=_SPAWN), Fix(title="use the device only in the child processes")
_LOADED = "load batches on the CPU, and move each one in the loop of its DataLoader"
_OTHERS = 'pass multiprocessing_context="spawn" to the DataLoader, or num_workers=0'
_WORKER = Fix(title=_LOADED), Fix(title=_OTHERS)


def find(trace: Trace) -> Iterator[Finding]:
    """Devices that were asked for in vain; the machine's nearest one was used instead."""
    for call in trace.calls:
        if call.violation.kind == "absent":
            message = f"{call.op} does not exist on {trace.machine}"
            fixes = _help(call.op, trace)
            if "forked subprocess" in call.violation.error:
                message = f"{call.op} cannot be used in a forked process: its parent already uses it"
                fixes = _WORKER if call.violation.argument == "worker" else _FORKED
            yield make_finding(__name__, call, message, fixes=fixes)


def _help(device: str, trace: Trace) -> tuple[Fix, ...]:
    machine = find_machine(trace.machine)
    kind, _, number = device.partition(":")
    if kind != machine.device or not number:
        return _ABSENT
    several = f"--machine {int(number) + 1}x{machine.name}"
    return (Fix(title=f"check for a machine that has one: {several}"),)
