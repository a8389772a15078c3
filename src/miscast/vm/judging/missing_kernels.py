"""An op without a kernel for its dtype, computed in one that has a kernel: what the program should have written.

`torch.linalg.inv(x)` of a half `x` runs as `torch.linalg.inv(x.float()).to(x.dtype)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ...torch_facts.contracts.signature import argument
from ..provenance.record import is_tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..call import Call


def converted(call: Call, dtype: torch.dtype) -> Callable[[Any], Any]:
    """Cast the operands for which there is no kernel. Returns what casts the results back."""
    named = call.named()
    given = next((t.dtype for _, t, _ in named if t.dtype is not dtype), dtype)
    writes = {n: t for n, t, _ in named if argument(n) in call.plan.writes}
    call.replace({n: t.to(dtype) for n, t, _ in named if t.dtype is given})

    def back(out: Any) -> Any:
        if writes:  # the memory stays as it is: without data there is nothing to write
            if is_tensor(out):
                return next(iter(writes.values()))
            return tuple(writes.values())
        return _back(out, dtype, given)

    return back


def _back(out: Any, dtype: torch.dtype, given: torch.dtype) -> Any:
    if is_tensor(out):
        return out.to(given) if out.dtype is dtype and given.is_floating_point else out
    if not isinstance(out, (tuple, list)):
        return out
    parts = [_back(one, dtype, given) for one in out]
    return type(out)(*parts) if hasattr(out, "_fields") else type(out)(parts)
