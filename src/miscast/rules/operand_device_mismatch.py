"""An op gets operands on different devices.

## What
All tensors of a call must be on one device; only zero-dimensional CPU tensors may stand beside tensors of a GPU.

## Why
`module.to(device)` moves parameters and registered buffers, and nothing else: a plain tensor attribute, a module kept
in a Python list, or a tensor that `forward` makes without `device=` stays on the CPU.

## Example
    vae = AutoencoderKL.from_pretrained(path)            # never moved
    vae.decode(latent)                                   # conv2d gets `input` on cuda:0 but `weight` on cpu

## Use instead
    vae = AutoencoderKL.from_pretrained(path).to(latent.device)

## Fix safety
Safe: a move changes no number. Not safe: random numbers that a device draws are others, and so are a generator's;
what a module keeps from now on is saved with it, and trained.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Call, Trace
from ..finding import Finding, Fix
from ..findings.finding_builder import involved, make_finding


def find(trace: Trace) -> Iterator[Finding]:
    """Calls whose operands are on different devices."""
    for call in trace.calls:
        if (
            call.violation.kind == "device"
            and call.op != "Tensor.numpy"
            and not call.hidden
        ):
            yield make_finding(__name__, call, _message(call), fixes=_fixes(call))


def _fixes(call: Call) -> tuple[Fix, ...] | None:
    """A generator cannot be moved; for tensors the fix follows from the cause."""
    if call.violation.odd != ("generator",):
        return None
    device = call.violation.expected.partition(":")[0]
    return (Fix(title=f'make the generator there: torch.Generator(device="{device}")'),)


def _message(call: Call) -> str:
    groups: dict[str, str] = {}
    for operand in involved(call):
        groups.setdefault(operand.tensor.device, operand.name)
    if len(groups) < 2:
        device, name = next(iter(groups.items()), ("another device", call.op))
        return f"{call.op} wants `{name}` on {call.violation.expected}, and gets it on {device}"
    return f"{call.op} gets " + " but ".join(
        f"`{name}` on {device}" for device, name in groups.items()
    )
