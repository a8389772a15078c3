"""A loss, or a logarithm of probabilities, is rounded by more than 0.01."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ...ranges.loss import HALF
from ..call import Call
from ..loss import Loss

_OPS = frozenset({"_log_softmax", "logsumexp", "nll_loss_forward", "nll_loss", "nll_loss2d_forward",
                  "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy_loss", "kl_div",
                  "logcumsumexp", "log_sigmoid_forward", "ctc_loss"})  # fmt: skip
_OFF = 0.01


def observe(call: Call) -> Iterator[Loss]:
    """Yield a precision loss if a half-precision logarithm is off by a hundredth on average."""
    if call.op not in _OPS or call.site.phase == "backward":
        return
    for result in call.results[:1]:
        if result.tensor.dtype not in HALF or not result.finite:
            continue
        exact = call.exact(result)
        if exact is None or not bool(torch.isfinite(exact).all()):
            continue
        off = float((result.low - exact).abs().mean())
        if off > _OFF:
            yield call.loss(
                f"`{call.site.op}` in {call.site.dtype_name} is off by {off:.2g} on average, for values around "
                f"{float(exact.abs().mean()):.3g}",
                weight=off,
            )
