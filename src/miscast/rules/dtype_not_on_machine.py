"""The program chooses a dtype that the machine lacks or only emulates.

## What
bfloat16 is native from NVIDIA's Ampere on: a V100 or T4 converts to float32 and back for every op. Some dtypes do not
exist on a device at all, as float64 on Apple's GPUs.

## Why
What is missing raises. What is emulated gives right numbers, slowly, and libraries with kernels of their own (flash
attention, Triton) refuse it.

## Example
    model = model.to(torch.bfloat16)                     # on a V100: bfloat16 is emulated on v100

## Use instead
    model = model.to(torch.float16)                      # with a GradScaler, and activations below 65504

## Fix safety
Not safe: float16 overflows above 65504; float32 holds every bfloat16 number and needs twice the memory, and what is
computed with it is rounded later than before.
"""

from __future__ import annotations

from collections.abc import Iterator

from .. import machines
from ..event import Event, Location, Trace
from ..finding import Finding, Fix, Related
from ..machines import Machine

_WHY = {
    "emulated": "{dtype} is emulated on {machine}: right numbers, slow",
    "missing": "{dtype} does not exist on {machine}",
}


def find(trace: Trace) -> Iterator[Finding]:
    """Choices of a dtype that the machine has not."""
    machine = machines.find(trace.machine)
    for event in trace.choices:
        support = machine.support(event.dtype)
        if support in _WHY:
            yield _finding(
                event,
                _WHY[support].format(dtype=event.dtype, machine=machine.name),
                machine,
            )


def _finding(event: Event, message: str, machine: Machine) -> Finding:
    return Finding(
        rule="dtype-not-on-machine",
        severity="error" if machine.support(event.dtype) == "missing" else "warning",
        message=message,
        op=event.op,
        phase="program",
        location=event.location or Location(file="<unknown>", line=0),
        related=(Related(label="in", location=event.library),) if event.library else (),
        fixes=_fixes(event.dtype, machine),
    )


def _fixes(dtype: str, machine: Machine) -> tuple[Fix, ...]:
    if dtype == "bfloat16" and machine.support("float16") == "native":
        scaled = "use torch.float16 here, with a GradScaler in training (largest value: 65504)"
        return (
            Fix(title=scaled),
            Fix(title="use torch.float32 here, with twice the memory"),
        )
    native = [
        name for name in ("float32", "float16") if machine.support(name) == "native"
    ]
    return (Fix(title=f"use torch.{native[0]} here"),) if native else ()
