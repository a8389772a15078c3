"""An op that does not promote dtypes gets operands of different dtypes.

## What it does
`linear`, `matmul`, convolutions, norms, attention and others require operands of one dtype. Half-precision input with
float32 weights, or the reverse, raises an error.

## Why is this bad?
The op that raises is rarely the cause. A tensor was created in float32 by default, a `cat`, `where` or `add` silently
promoted everything it was combined with to float32, and the first layer with half-precision weights stops the program.

## Example
    mask = torch.ones(latent.shape[0], 1, 64, 64)        # float32
    x = torch.cat([latent, mask], dim=1)                 # promotes a float16 latent to float32
    unet(x)                                              # linear mixes float32 `input` with float16 `weight`

## Use instead
    mask = torch.ones(latent.shape[0], 1, 64, 64, dtype=latent.dtype, device=latent.device)

## Fix safety
Safe if no value of the program changes: a cast to a wider dtype at the failing call, or a dtype for ones and zeros that
nothing else uses. Casting data to float16 may overflow above 65504; casting to bfloat16 rounds to 8 significant bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...core.dtypes import HALVES, category
from ...core.event import Call, Trace
from ...core.finding import Finding, Fix
from ...fixing.remedy import place
from ..findings.finding_builder import involved, make_finding, mix
from .gradient_dtype_mismatch import concerns_gradient


def is_mix(call: Call) -> bool:
    """Check whether a call mixes operands of one category (floating with floating) that should be of one dtype."""
    operands = involved(call)
    kinds = {category(operand.tensor.dtype) for operand in operands}
    return (
        call.violation.kind == "dtype"
        and call.violation.like is not None
        and len(operands) > 1
        and len(kinds) == 1
    )


def find(trace: Trace) -> Iterator[Finding]:
    """Yield calls that mix dtypes, gradients aside."""
    for call in trace.calls:
        if is_mix(call) and not call.hidden and not concerns_gradient(call):
            found = make_finding(__name__, call, f"{call.op} mixes {mix(call)}")
            yield replace(found, fixes=(*_of_no_effect(call), *found.fixes))


def _of_no_effect(call: Call) -> Iterator[Fix]:
    """Yield what switches on the autocast of an Accelerator, which does nothing without mixed precision."""
    halves = {one.tensor.dtype for one in involved(call)} & HALVES
    mode = "fp16" if halves == {"float16"} else "bf16"
    for region in call.off[:1]:
        if "enabled" not in region.code:
            yield Fix(
                title=f'use Accelerator(mixed_precision="{mode}"): its autocast at {place(region)} does nothing '
                'because mixed_precision is "no"'
            )
