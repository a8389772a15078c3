"""A constant rounds to 0, or a bound to 1: what it guards against happens.

## What
`x + 1e-8` in float16 adds 0, `clamp(max=1 - 1e-6)` in bfloat16 clamps at 1, and there are elements for which that
matters: the result is 0, or 1, where it must not be.

## Why
The next division or logarithm gives infinity or NaN.

## Not told
An eps that is small beside what it is added to: there it need not do anything.

## Example
    x / (x.norm(dim=-1, keepdim=True) + 1e-8)            # x is float16

## Use instead
    x / (x.norm(dim=-1, keepdim=True) + 1e-4)            # or in float32
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ..call import Call
from ..loss import Loss
from ..numbers import MEASURED

_ADD = frozenset({"add", "sub", "rsub"})
_CLAMP = frozenset({"clamp", "clamp_min", "clamp_max", "maximum", "minimum"})


def observe(call: Call) -> Iterator[Loss]:
    """A Python number among the arguments that the dtype does not hold."""
    if call.op not in _ADD | _CLAMP:
        return
    for name, value in call.bound.items():
        if type(value) is not float or name == "alpha":
            continue
        for result in call.results:
            dtype = result.tensor.dtype
            if dtype not in MEASURED:
                continue
            held = torch.tensor(value, dtype=torch.float64).to(dtype).item()
            gone = value != 0 and held == 0
            at_one = call.op in _CLAMP and value != 1 and held == 1
            if not gone and not at_one:
                continue
            hit = (result.low == held) & (result.wide != held)
            if bool(hit.any()):
                yield Loss(
                    rule="constant-vanishes",
                    site=call.site,
                    says=f"{value:g} is {held:g} in {call.site.dtype_name}: `{call.site.op}` gives {held:g} for "
                    f"{int(hit.sum()):,} of {hit.numel():,} elements, which it was to prevent",
                    help=f"a constant that {call.site.dtype_name} holds beside these numbers (eps of at least "
                    f"{torch.finfo(dtype).eps * 0.1:.0e}), or the computation in float32",
                    weight=float(hit.double().mean()),
                )
