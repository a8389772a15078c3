"""torch.distributed in a world of several ranks: the functions that stand for torch's, each a call of `Gathering`."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from ...running.process.patching import Patch, around
from .backends import NATIVE, checked
from .collective_buffers import DEALS
from .objects import ObjectCollectives
from .point_to_point import PointToPoint
from .process_group import Gathering
from .single_rank import Done

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ..machine import VirtualMachine

_BOTH = "cpu:gloo,{}:{}"


def patches(
    vm: VirtualMachine, gathering: Gathering, start: Callable[..., None]
) -> Iterator[Patch]:
    """Yield every function of torch.distributed that other ranks see.

    `start` makes the default group of this process.
    """
    c10d: Any = sys.modules["torch.distributed.distributed_c10d"]
    table: dict[str, Callable[..., Any]] = {
        name: _collective(vm, gathering, name) for name in DEALS
    }
    more: dict[str, Callable[..., Any]] = {
        **ObjectCollectives(gathering).calls(),
        **PointToPoint(vm, gathering).calls(),
        "all_reduce_coalesced": _several(gathering, table["all_reduce"]),
        "init_process_group": _starting(vm, gathering, start),
        "_coalescing_manager": contextmanager(_coalescing),
        "get_backend": lambda _group=None: (
            gathering.backend.partition(",")[0].rpartition(":")[2] or "undefined"
        ),
    }
    for name, function in (table | more).items():
        if hasattr(c10d, name):
            yield Patch(c10d, name, function)
    yield around(c10d, "new_group", _new_group, gathering)
    functional = sys.modules.get("torch.distributed._functional_collectives")
    # before torch 2.13
    if functional is not None and not hasattr(functional, "_wrap_tensor_autograd"):
        yield Patch(functional, "_maybe_wrap_tensor", lambda tensor: tensor)


def _coalescing(*_: Any, **__: Any) -> Iterator[Done]:
    yield Done()


def _starting(
    vm: VirtualMachine, g: Gathering, start: Callable[..., None]
) -> Callable[..., None]:
    def init_process_group(backend: Any = None, *args: Any, **kwargs: Any) -> None:
        kind = vm.machine.device
        name = str(backend or "").lower()
        g.backend = name or (
            _BOTH.format(kind, NATIVE[kind]) if kind in NATIVE else "gloo"
        )
        start(g.backend, *args, **kwargs)
        whole = g.whole()
        if (dist.get_rank(), dist.get_world_size()) != (whole.index, whole.size):
            raise RuntimeError(
                f"init_process_group(rank={dist.get_rank()}, world_size={dist.get_world_size()}) in rank {whole.index} "
                f"of {whole.size}"
            )
        g.meet("init_process_group", "", whole, arguments=(("backend", g.backend),))

    return init_process_group


def _new_group(
    g: Gathering, original: Any, ranks: Any = None, *_: Any, **options: Any
) -> Any:
    """Create a process group; its members match each other by the name that torch gave it on each rank."""
    g.started()
    local = bool(options.get("use_local_synchronization"))
    made = original(
        list(ranks) if ranks is not None else None, use_local_synchronization=local
    )
    place = g.seat(made) if made is not None else None
    if place is not None:
        seat, name = place
        members = (("ranks", str(list(seat.ranks))),)
        g.meet("new_group", name, seat, arguments=members)
    return made


def _collective(vm: VirtualMachine, g: Gathering, name: str) -> Callable[..., Any]:
    plan, told = (
        DEALS[name],
        name.removeprefix("_").replace(
            "_base", "_into_tensor" if "gather" in name else "_tensor"
        ),
    )
    count = _before_group(plan)

    def collective(
        *args: Any, group: Any = None, async_op: bool = False, **kwargs: Any
    ) -> Any:
        args, group, async_op = _positional(name, count, args, group, async_op)
        place = g.enter(name, group)
        if place is None:
            return None
        seat, key = place
        kwargs.pop("device_ids", None)
        deal = plan(seat, *args, **kwargs)
        checked(vm, told, g.backend, deal.tensors())
        vm.observed.reduced(name, deal.tensors())
        return g.deal(told, key, deal, seat, async_op=async_op)

    return collective


def _before_group(plan: Callable[..., Any]) -> int:
    """Return how many parameters come before `group` and `async_op`, which are next in all.

    The plan's first is the seat.
    """
    parameters = [
        p
        for p in signature(plan).parameters.values()
        if p.kind is Parameter.POSITIONAL_OR_KEYWORD
    ]
    return sum(not p.name.startswith("group_") for p in parameters) - 1


def _positional(
    name: str, own_count: int, args: tuple[Any, ...], group: Any, async_op: bool
) -> tuple[tuple[Any, ...], Any, bool]:
    own, rest = args[:own_count], args[own_count:]
    if rest:
        group = rest[0]
    if len(rest) > 1 and name != "monitored_barrier":
        async_op = bool(rest[1])
    return own, group, async_op


def _several(g: Gathering, all_reduce: Callable[..., Any]) -> Callable[..., Any]:
    """Return the collective over a list of tensors; it processes one tensor after the other."""

    def all_reduce_coalesced(
        tensors: Sequence[torch.Tensor],
        op: Any = dist.ReduceOp.SUM,
        group: Any = None,
        async_op: bool = False,
    ) -> Any:
        handles = [all_reduce(one, op, group, True) for one in tensors]

        def finish() -> None:
            for handle in handles:
                if handle is not None:
                    handle.wait()

        return g.settled(finish, async_op=async_op)

    return all_reduce_coalesced
