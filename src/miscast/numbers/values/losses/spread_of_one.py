"""NaN of the `std` or `var` of one number, which divide by one less than there are, unless the next op takes it out."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .. import record
from ..call import Call
from ..loss import Loss

RULE = "nan-appears"
_OPS = frozenset({"std", "var", "std_mean", "var_mean"})


def observe(call: Call) -> Iterator[Loss]:
    """Yield a finding if finite numbers have a `std` or `var` of NaN, in float64 too."""
    if call.op not in _OPS or not all(
        bool(torch.isfinite(one.low).all()) for one in call.floats()
    ):
        return
    result = call.results[0]
    born = torch.isnan(result.low) & torch.isnan(result.wide)
    if bool(born.any()):
        for one in call.results:
            record.made(one.tensor).nan_born = (RULE, call.site, "spread")
        yield call.loss(
            rule=RULE,
            says=f"`{call.site.op}` of one number: {int(born.sum()):,} of {born.numel():,} results are NaN",
            form="spread",
            weight=float(born.double().mean()),
        )
