"""Functional collectives (`torch.ops._c10d_functional`): what they make has the shape of their meta kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..call import Call
from ..provenance.record import is_tensor

if TYPE_CHECKING:
    from ..collectives.process_group import Gathering
    from ..dispatch import Dispatcher
    from ..schema import Args, Kwargs, Plan

# the result is there already
_DONE = frozenset({"wait_tensor", "_wrap_tensor_autograd"})
# in torch.distributed; here their result is a tensor of its own
_IN_PLACE = frozenset({"all_reduce", "broadcast"})
_MEETS = _IN_PLACE | {
    "all_gather_into_tensor",
    "reduce_scatter_tensor",
    "all_to_all_single",
}


def functional(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Run on meta tensors, and synchronize with the other ranks if there are any."""
    call = Call(plan, args, kwargs)
    if plan.short in _DONE:
        return call.args[0]
    out = d.execute(call)
    d.labels.give(call, out, None, None)
    name = plan.short.removesuffix("_")
    if d.vm.gathering is not None and name in _MEETS and is_tensor(out):
        _meet(d.vm.gathering, name, call, out)
    return out


def _meet(gathering: Gathering, name: str, call: Call, out: torch.Tensor) -> None:
    from ..collectives.collective_buffers import DEALS

    given = dict(call.given())
    place = gathering.seat(_resolved(given["group_name"]))
    if place is None:
        return
    (seat, key), source = place, call.args[0].detach()
    more = {"op": given["reduce_op"].upper()} if "reduce_op" in given else {}
    if name in _IN_PLACE:
        deal = DEALS[name](seat, source, **(more or {"group_src": given["src"]}))
        deal.gets = [out if t is not None else None for t in deal.gets]
    else:
        sizes = [
            given[n] for n in ("output_split_sizes", "input_split_sizes") if n in given
        ]
        deal = DEALS[name](seat, out, source, *sizes, **more)
    gathering.deal(name, key, deal, seat)


def _resolved(name: Any) -> Any:
    """Return a process group, which newer releases hand over as itself, older ones by name."""
    if not isinstance(name, str):
        return name
    return torch._C._distributed_c10d._resolve_process_group(name)  # type: ignore[arg-type]


SPECIALS = {"_c10d_functional.*": functional}
