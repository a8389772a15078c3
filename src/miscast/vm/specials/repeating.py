"""`repeat_interleave` with a count for each element: its length is the sum of the counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..call import Call

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..schema import Args, Kwargs, Plan


def repeat_interleave(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Pass the length of the result to the meta kernel, which requires it; read it from the counts."""
    call = Call(plan, args, kwargs)
    given = dict(zip(plan.names, call.args, strict=False)) | call.kwargs
    if plan.name.endswith(".self_Tensor") and given.get("output_size") is None:
        source, repeats, dim = given["self"], given["repeats"], given.get("dim")
        counts = d.values.reads.array(repeats, "torch.repeat_interleave")
        each = source.numel() if dim is None else source.size(dim)
        size = int(counts.sum()) * (each if counts.numel() == 1 else 1)
        call.kwargs = {**call.kwargs, "output_size": size}
    return d.run(call)


SPECIALS = {"repeat_interleave": repeat_interleave}
