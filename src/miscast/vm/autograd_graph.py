"""The graph behind a result that no meta kernel computed: without it, `loss.backward()` would have nowhere to go."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from .key import KEYSET, Exclude
from .provenance.record import Record, attach, find, is_meta, is_tensor


class _Linked(torch.autograd.Function):
    """Results that depend on `inputs` in a way that only real data would tell: gradients have the inputs' shapes."""

    @staticmethod
    def forward(
        ctx: Any, results: tuple[torch.Tensor, ...], *inputs: torch.Tensor
    ) -> tuple[torch.Tensor, ...]:
        """Return the results unchanged."""
        ctx.inputs = [_gradient(t) for t in inputs]
        ctx.mark_non_differentiable(
            *(r for r in results if not r.dtype.is_floating_point)
        )
        return results

    @staticmethod
    def backward(ctx: Any, *_: Any) -> tuple[torch.Tensor | None, ...]:
        """Return a gradient without data for each input, or a real one where it has to be real."""
        return None, *(gradient() for gradient in ctx.inputs)


def _gradient(of: torch.Tensor) -> Callable[[], torch.Tensor]:
    """Return what makes a gradient for a tensor, which need not be kept for it unless it is real."""
    record = find(of)
    device = record.device if record is not None else None
    if is_meta(of):
        make = partial(torch.empty, tuple(of.shape), dtype=of.dtype, device="meta")
    else:
        make = partial(torch.zeros_like, of.detach())

    def made() -> torch.Tensor:
        with Exclude(KEYSET):
            gradient = make()
        # also real ones are not made virtual then
        attach(gradient, Record(device, None, None))
        return gradient

    return made


def linked(out: Any, operands: list[torch.Tensor]) -> Any:
    """Return `out`, a tensor or several, linked in autograd to the operands that require a gradient."""
    inputs = [t for t in operands if t.requires_grad]
    results = (
        (out,)
        if is_tensor(out)
        else tuple(out)
        if isinstance(out, (tuple, list))
        else ()
    )
    if (
        not inputs
        or not torch.is_grad_enabled()
        or not results
        or not all(map(is_tensor, results))
    ):
        return out
    found: Any = _Linked.apply(results, *inputs)  # type: ignore[no-untyped-call]
    return found[0] if is_tensor(out) else type(out)(found)
