"""An op gets operands on different devices.

## What it does
All tensors of a call must be on one device. Only zero-dimensional CPU tensors may be combined with GPU tensors.

## Why is this bad?
`module.to(device)` moves parameters and registered buffers only. A plain tensor attribute, a module in a Python list,
or a tensor that `forward` creates without `device=` stays on the CPU.

## Example
    vae = AutoencoderKL.from_pretrained(path)            # never moved
    vae.decode(latent)                                   # conv2d gets `input` on cuda:0 but `weight` on cpu

## Use instead
    vae = AutoencoderKL.from_pretrained(path).to(latent.device)

## Fix safety
Safe: moving a tensor changes no value. Not safe: random numbers differ between devices and generators; a tensor that is
registered in a module is saved with it, and trained if it is a parameter.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.event import Call, Trace
from ...core.finding import Finding, Fix
from ..findings.finding_builder import involved, make_finding


def find(trace: Trace) -> Iterator[Finding]:
    """Yield calls whose operands are on different devices."""
    for call in trace.calls:
        if (
            call.violation.kind == "device"
            and call.op != "Tensor.numpy"
            and not call.hidden
        ):
            yield make_finding(__name__, call, _message(call), fixes=_fixes(call))


def _fixes(call: Call) -> tuple[Fix, ...] | None:
    """Return a generator cannot be moved; for tensors the fix follows from the cause."""
    if call.violation.odd != ("generator",):
        return None
    device = call.violation.expected.partition(":")[0]
    return (
        Fix(
            title=f'create the generator on that device: torch.Generator(device="{device}")'
        ),
    )


def _message(call: Call) -> str:
    groups: dict[str, str] = {}
    for operand in involved(call):
        groups.setdefault(operand.tensor.device, operand.name)
    if len(groups) < 2:
        device, name = next(iter(groups.items()), ("another device", call.op))
        return (
            f"{call.op} expects `{name}` on {call.violation.expected} but got {device}"
        )
    return f"{call.op} gets " + " but ".join(
        f"`{name}` on {device}" for device, name in groups.items()
    )
