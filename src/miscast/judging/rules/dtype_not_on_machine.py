"""The program uses a dtype that the machine lacks or only emulates.

## What it does
NVIDIA GPUs support bfloat16 natively since Ampere: a V100 or T4 converts to float32 and back for every op. Some devices
lack a dtype altogether, such as float64 on Apple GPUs.

## Why is this bad?
A missing dtype raises an error. An emulated dtype gives correct results slowly, and libraries with their own kernels
(flash attention, Triton) reject it.

## Example
    model = model.to(torch.bfloat16)                     # on a V100: bfloat16 is emulated on v100

## Use instead
    model = model.to(torch.float16)                      # with a GradScaler, and activations below 65504

## Fix safety
Not safe: float16 overflows above 65504. float32 represents every bfloat16 number but needs twice the memory, and
intermediate results are rounded differently.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core import machines
from ...core.event import Event, Location, Trace
from ...core.finding import Finding, Fix, Related
from ...core.machines import Machine

_WHY = {
    "emulated": "{dtype} is emulated on {machine}: correct but slow",
    "missing": "{dtype} does not exist on {machine}",
}


def find(trace: Trace) -> Iterator[Finding]:
    """Choices of a dtype that the machine has not."""
    machine = machines.find(trace.machine)
    for event in trace.choices:
        support = machine.support(event.dtype)
        if support in _WHY:
            why = _WHY[support].format(dtype=event.dtype, machine=machine.name)
            yield _finding(event, why, machine)


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
            Fix(title="use torch.float32 here, which takes twice the memory"),
        )
    native = [
        name for name in ("float32", "float16") if machine.support(name) == "native"
    ]
    return (Fix(title=f"use torch.{native[0]} here"),) if native else ()
