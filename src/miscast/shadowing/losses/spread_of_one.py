"""The spread of one number is NaN: `std` and `var` divide by one less than there are.

## What
`std` or `var` with correction, as it is by default, over a single number.

## Why
0 / 0: a group of one answer, a batch of one, the last batch of an epoch. A small number added to it helps nothing.

## Not told
Where the next op takes the NaN out again (`where`, `nan_to_num`, `masked_fill`).

## Example
    advantage = (rewards - rewards.mean()) / (rewards.std() + 1e-4)      # NaN for one reward

## Use instead
    advantage = (rewards - rewards.mean()) / (rewards.std(correction=0) + 1e-4)
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .. import record
from ..call import Call
from ..loss import Loss

RULE = "nan-appears"
_OPS = frozenset({"std", "var", "std_mean", "var_mean"})


def observe(call: Call) -> Iterator[Loss]:
    """Finite numbers whose spread is NaN, in float64 too."""
    if call.op not in _OPS or not all(
        bool(torch.isfinite(one.low).all()) for one in call.floats()
    ):
        return
    result = call.results[0]
    born = torch.isnan(result.low) & torch.isnan(result.wide)
    if bool(born.any()):
        for one in call.results:
            record.made(one.tensor).nan_born = (RULE, call.site, "spread")
        yield Loss(
            rule=RULE,
            site=call.site,
            says=f"`{call.site.op}` of one number: {int(born.sum()):,} of {born.numel():,} results are NaN",
            form="spread",
            weight=float(born.double().mean()),
        )
