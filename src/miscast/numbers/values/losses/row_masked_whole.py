"""A softmax gets a row of -inf and returns NaN for it."""

from __future__ import annotations

from collections.abc import Iterator

from ..call import Call
from ..loss import Loss
from .nan_appears import new_nan

RULE = "row-masked-whole"
MENDS = frozenset({"where", "nan_to_num", "masked_fill"})
CHOOSES = frozenset(
    {"index", "masked_select", "index_select", "gather", "nansum", "slice", "select"}
)
"""Ops that may drop the NaN. Their result shows whether they did."""
_ADDS = frozenset({"add", "sub"})
_OPS = frozenset({"_softmax", "_log_softmax", "softmax", "log_softmax", "logsumexp"})


def observe(call: Call) -> Iterator[Loss]:
    """Yield a finding for NaN that none of the operands has, and that is in the shadow, too."""
    if call.op not in _OPS:
        return
    for result in call.results:
        share = new_nan(call, result, RULE)
        if share:
            yield _told(call, share)


def _told(call: Call, share: float) -> Loss:
    """Return the finding, at the softmax or where an added mask turns finite numbers into -inf."""
    made = call.marked(lambda one: one.overflowed)
    says = f"`{call.site.op}` over rows that are entirely -inf: {share:.0%} of the result is NaN"
    if made is None or made.op not in _ADDS:
        return call.loss(
            says, weight=share, also=(("became -inf", made),) if made else ()
        )
    return call.loss(
        at=made,
        says=f"{says}; `{made.op}` in {made.dtype_name} made the -inf from finite numbers",
        form="joined",
        weight=share,
        also=(("its softmax", call.site),),
    )
