"""Functional collectives (`torch.ops._c10d_functional`): what they make has the shape of their meta kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ...provenance.record import is_tensor
from ..call import Call

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..schema import Plan

_DONE = frozenset({"wait_tensor", "_wrap_tensor_autograd"})  # the result is there already
_MEETS = {
    "all_reduce": "all_reduce",
    "all_reduce_": "all_reduce",
    "all_gather_into_tensor": "all_gather_into_tensor",
    "reduce_scatter_tensor": "reduce_scatter_tensor",
    "all_to_all_single": "all_to_all_single",
    "broadcast": "broadcast",
    "broadcast_": "broadcast",
}


def functional(d: Dispatcher, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run on meta tensors, and meet the other ranks where there are any."""
    call = Call(plan, args, kwargs)
    if plan.short in _DONE:
        return call.args[0]
    out = d.execute(call)
    d.labels.give(call, out, None, None)
    gathering = d.vm.gathering
    if gathering is None or plan.short not in _MEETS or not is_tensor(out):
        return out
    from ..collectives.collective_buffers import DEALS

    given = dict(call.given())
    group = _resolved(given["group_name"])
    place = gathering.seat(group)
    if place is not None:
        seat, key = place
        name = _MEETS[plan.short]
        source = call.args[0].detach()
        reduced = {"op": given["reduce_op"].upper()} if "reduce_op" in given else {}
        if name in ("all_reduce", "broadcast"):
            more = {"group_src": given["src"]} if name == "broadcast" else reduced
            deal = DEALS[name](seat, source, **more)
            deal.gets = [out if t is not None else None for t in deal.gets]
        elif name == "all_to_all_single":
            deal = DEALS[name](seat, out, source, given["output_split_sizes"], given["input_split_sizes"])
        else:
            deal = DEALS[name](seat, out, source, **reduced)
        gathering.deal(name, key, deal, seat)
    return out


def _resolved(name: Any) -> Any:
    """A process group, which newer releases hand over as itself, older ones by name."""
    if not isinstance(name, str):
        return name
    return torch._C._distributed_c10d._resolve_process_group(name)  # type: ignore[arg-type]


SPECIALS = {"_c10d_functional.*": functional}
