"""NaN of an infinity that is subtracted from an infinity: two scores or logarithms that were both set to -inf.

The next op may take it out again (`where`, `nan_to_num`, `masked_fill`).
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .. import record
from ..call import Call
from ..loss import Loss

RULE = "nan-appears"
_OPS = frozenset({"add", "sub", "rsub"})


def observe(call: Call) -> Iterator[Loss]:
    """Yield a finding for NaN in a sum without NaN terms, whose terms are infinite in higher precision, too."""
    if call.op not in _OPS or call.site.phase in ("backward", "optimizer"):
        return
    for result in call.results:
        if result.finite or result.tensor.is_complex():
            continue
        born = torch.isnan(result.low) & torch.isnan(result.wide)
        if not bool(born.any()) or any(
            bool(torch.isnan(one.low).any()) for one in call.floats()
        ):
            continue
        record.made(result.tensor).nan_born = (RULE, call.site, "infinities")
        yield _told(call, born)


def _told(call: Call, born: torch.Tensor) -> Loss:
    """Return the finding, at the difference or at the op that created the infinities from finite numbers."""
    made = call.marked(lambda one: one.infinite)
    says = f"infinity minus infinity: {int(born.sum()):,} of {born.numel():,} numbers are NaN"
    share = float(born.double().mean())
    if made is None:
        return call.loss(
            rule=RULE,
            says=says,
            form="infinities",
            weight=share,
        )
    return Loss(
        rule=RULE,
        site=made,
        says=f"{says}; `{made.op}` made the infinities from finite numbers",
        form="pole",
        weight=share,
        also=(("then", call.site),),
    )
