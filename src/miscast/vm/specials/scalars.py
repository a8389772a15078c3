"""Numbers that the program or an op asks of tensors: known values, or stand-ins that are reported.

Where a scaler asks, gradients are finite: its kernels have no meta version.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..call import Call
from ..provenance.record import find, is_meta
from ..values.health import truly_known
from ..values.propagation import UNKNOWN
from ..virtualize import virtualize

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..schema import Args, Kwargs, Plan


def item(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Run `.item()`, `float(t)`, `range(t)`, `if t:`."""
    tensor = args[0]
    if tensor.numel() != 1 or tensor.layout is not torch.strided:
        return plan.op(*args, **kwargs)  # torch's own error
    virtual = virtualize(tensor)
    d.numerics.training.read(virtual)
    d.numerics.fused.breaks()
    if plan.short == "is_nonzero":
        return d.values.reads.truth(virtual)
    return d.values.reads.scalar(virtual)


def equal(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Run `torch.equal` and `allclose`: true results for known values, else those that a correct program expects."""
    call = Call(plan, args, kwargs)
    d.check(call)
    real = d.values.run(call) if call.known else UNKNOWN
    if real is not UNKNOWN and truly_known(call.records):
        return real
    same = (
        call.tensors[0].shape == call.tensors[1].shape
        if real is UNKNOWN
        else bool(real)
    )
    said = same
    if call.tensors[0].shape == call.tensors[1].shape:
        said = d.values.answers.truth(same)
    d.recorder.assume(f"torch.{plan.short}", str(said))
    return said


def shallow(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Check whether `p.data = t` can be done: between devices of this machine always."""
    return all(
        find(a) is not None or is_meta(a) or a.layout is torch.strided for a in args
    )


def repeat_interleave(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Pass the length of the result to the meta kernel, which requires it; read it from the counts."""
    call = Call(plan, args, kwargs)
    given = dict(zip(plan.names, call.args, strict=False)) | call.kwargs
    if plan.name.endswith(".self_Tensor") and given.get("output_size") is None:
        source, repeats, dim = given["self"], given["repeats"], given.get("dim")
        counts = d.values.reads.array(repeats, "torch.repeat_interleave")
        each = source.numel() if dim is None else source.size(dim)
        size = int(counts.sum()) * (each if counts.numel() == 1 else 1)
        call.put("output_size", size)
    return d.run(call)


def unscale(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> None:
    """Check the operands like those of any op, and leave `found_inf` at 0."""
    d.check(Call(plan, args, kwargs))


def update(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return the scale, which stays."""
    return args[0]


SPECIALS = {
    "item": item, "_local_scalar_dense": item, "is_nonzero": item, "equal": equal, "allclose": equal,
    "repeat_interleave": repeat_interleave, "_amp_foreach_non_finite_check_and_unscale_": unscale,
    "_amp_update_scale_": update, "_has_compatible_shallow_copy_type": shallow,
}  # fmt: skip
