"""Sparse tensors: their numbers are not looked at, and an entry that is there twice stays so."""

from __future__ import annotations

from operator import mul
from typing import TYPE_CHECKING, Any

import torch

from ..call import Call
from ..provenance.record import view_of
from .factories import make
from .other_dtypes import judged

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..schema import Args, Kwargs, Plan


def unchecked(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Make a sparse tensor; `check_invariants=True` would read indices, which are not in memory."""
    with torch.sparse.check_sparse_tensor_invariants(enable=False):
        return make(d, plan, args, kwargs)


def coordinates(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return a sparse tensor of entries; a size that is not given ends at the largest index."""
    if plan.op is torch.ops.aten.sparse_coo_tensor.indices:
        call = Call(plan, args, kwargs)
        indices, values = call.args[:2]
        record = call.records[0]
        if not indices.numel():
            sizes = [0] * indices.size(0)
        elif record.twin is None:
            sizes = [indices.size(1)] * indices.size(0)
            d.recorder.assume("size of a sparse tensor", str(tuple(sizes)))
        else:
            sizes = (view_of(record.twin, indices).amax(1) + 1).tolist()
        plan = d.plan(torch.ops.aten.sparse_coo_tensor.indices_size)
        args, kwargs = (indices, values, [*sizes, *values.shape[1:]]), call.kwargs
    return unchecked(d, plan, args, kwargs)


def compressed(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return a compressed sparse tensor; a size that is not given ends at the largest index of the other dimension."""
    if "size" in plan.names:
        return unchecked(d, plan, args, kwargs)
    call = Call(plan, args, kwargs)
    ends, places, values = call.args[:3]
    kind = str(call.kwargs.get("layout") or plan.short)
    by_columns = "csc" in kind or "bsc" in kind
    dense = values.shape[ends.dim() :]
    block, dense = (dense[:2], dense[2:]) if "_bs" in kind else ((1, 1), dense)
    known = call.records[1].twin
    if known is None or not places.numel():
        last = ends.size(-1) - 1
        d.recorder.assume("size of a sparse tensor", f"{last} indices")
    else:
        last = int(view_of(known, places).max()) + 1
    sizes = (last, ends.size(-1) - 1) if by_columns else (ends.size(-1) - 1, last)
    size = [*ends.shape[:-1], *map(mul, sizes, block), *dense]
    op = getattr(plan.op.overloadpacket, f"{plan.op._overloadname}_size")
    return unchecked(d, d.plan(op), (ends, places, values, size), call.kwargs)


def coalesce(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Keep the number of entries, since only real indices would show duplicates."""

    def run(self: torch.Tensor) -> torch.Tensor:
        return self.clone()._coalesced_(True)

    return judged(d, plan, args, kwargs, run)


SPECIALS = {
    "_coalesce": coalesce, "sparse_coo_tensor": coordinates, "sparse_bsc_tensor": compressed,
    "sparse_bsr_tensor": compressed, "sparse_compressed_tensor": compressed, "sparse_csc_tensor": compressed,
    "sparse_csr_tensor": compressed,
}  # fmt: skip
