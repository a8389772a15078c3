"""Numbers that the program asks of tensors: known values, or stand-ins that are reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..record import find, is_meta
from ..values import UNKNOWN
from ..virtual import virtualize

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..plan import Plan


def item(d: Dispatcher, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`.item()`, `float(t)`, `range(t)`, `if t:`."""
    tensor = args[0]
    if tensor.numel() != 1 or tensor.layout is not torch.strided:
        return plan.op(*args, **kwargs)  # torch's own error
    value = d.values.scalar(tensor if is_meta(tensor) else virtualize(tensor))
    return bool(value) if plan.short == "is_nonzero" else value


def equal(d: Dispatcher, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`torch.equal` and `allclose`: of known values the truth, else what a sound program expects."""
    from ..call import Call

    call = Call(plan, args, kwargs)
    d.repair.check(call)
    if call.known:
        real = d.values.run(call)
        if real is not UNKNOWN:
            if any(r.assumed for r in call.records):
                d.recorder.assume(f"torch.{plan.short}", str(real))
            return real
    same = call.tensors[0].shape == call.tensors[1].shape
    d.recorder.assume(f"torch.{plan.short}", str(same))
    return same


def shallow(d: Dispatcher, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Whether `p.data = t` can be done: between devices of this machine always, but of no inference tensor."""
    if args[1].is_inference() and not args[0].is_inference():
        return False
    return all(find(a) is not None or is_meta(a) or a.layout is torch.strided for a in args)


SPECIALS = {
    "item": item,
    "_local_scalar_dense": item,
    "is_nonzero": item,
    "equal": equal,
    "allclose": equal,
    "_has_compatible_shallow_copy_type": shallow,
}
