"""The grouped matrix product of mixtures of experts: its meta kernel knows bfloat16 alone, real ones take any dtype."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..schema import Args, Kwargs, Plan


def grouped_mm(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Check it as itself, and run it as a product of the same shape and dtype."""
    from ..call import Call

    shaped = copy.copy(plan)
    shaped.op = _product  # type: ignore[assignment]
    call = Call(shaped, args, kwargs)
    call.known = False
    return d.run(call)


def _product(
    left: torch.Tensor,
    right: torch.Tensor,
    offs: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """Multiply; `offs` cuts the rows of a flat `left`, the columns of a flat `right`, or what both share."""
    if left.dim() == right.dim() == 3:
        out = torch.bmm(left, right)
    elif left.dim() == right.dim() == 2:
        groups = 1 if offs is None else offs.numel()
        out = torch.mm(left, right).expand(groups, -1, -1).clone()
    else:
        out = torch.mm(
            left if left.dim() == 2 else left[0],
            right if right.dim() == 2 else right[0],
        )
    out = out if bias is None else out + bias
    return out if out_dtype is None else out.to(out_dtype)


SPECIALS = {"_grouped_mm": grouped_mm}
