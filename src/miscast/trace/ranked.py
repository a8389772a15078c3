"""torch.distributed in a world of several ranks: the functions that stand for torch's, each a call of `Gathering`."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from ..event import Violation
from .backends import placed
from .collectives import NOT_STARTED, Done
from .deals import DEALS, Deal, Seat
from .exchange import given, put
from .gathering import Gathering, Pending, initialized
from .patching import Patch
from .record import Record, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from .vm import VirtualMachine

_BOTH = "cpu:gloo,{}:{}"
_NATIVE = {"cuda": "nccl", "npu": "hccl"}


def patches(vm: VirtualMachine, gathering: Gathering, start: Callable[..., None]) -> Iterator[Patch]:
    """Every function of torch.distributed that other ranks see. `start` makes the default group of this process."""
    c10d: Any = sys.modules["torch.distributed.distributed_c10d"]
    table: dict[str, Callable[..., Any]] = {name: _collective(vm, gathering, name) for name in DEALS}
    table |= _several(gathering, table) | _objects(gathering, c10d) | _to_one(vm, gathering)
    table |= {"init_process_group": _starting(vm, gathering, start), "new_group": _grouping(gathering, c10d)}
    table["_coalescing_manager"] = contextmanager(_coalescing)
    table["get_backend"] = lambda group=None: gathering.backend.partition(",")[0].rpartition(":")[2] or "undefined"
    for name, function in table.items():
        if hasattr(c10d, name):
            yield Patch(c10d, name, function)
    functional = sys.modules.get("torch.distributed._functional_collectives")
    if functional is not None and not hasattr(functional, "_wrap_tensor_autograd"):  # before torch 2.13
        yield Patch(functional, "_maybe_wrap_tensor", lambda tensor: tensor)


def _coalescing(*_: Any, **__: Any) -> Iterator[Done]:
    yield Done()


def _starting(vm: VirtualMachine, g: Gathering, start: Callable[..., None]) -> Callable[..., None]:
    def init_process_group(backend: Any = None, *args: Any, **kwargs: Any) -> None:
        kind = vm.machine.device
        name = str(backend or "").lower()
        g.backend = name or (_BOTH.format(kind, _NATIVE[kind]) if kind in _NATIVE else "gloo")
        start(g.backend, *args, **kwargs)
        whole = g.whole()
        if (dist.get_rank(), dist.get_world_size()) != (whole.index, whole.size):
            raise RuntimeError(
                f"init_process_group(rank={dist.get_rank()}, world_size={dist.get_world_size()}) in rank {whole.index} "
                f"of {whole.size}"
            )
        g.meet("init_process_group", "", whole, arguments=(("backend", g.backend),))

    return init_process_group


def _grouping(g: Gathering, c10d: Any) -> Callable[..., Any]:
    original = c10d.new_group

    def new_group(ranks: Any = None, timeout: Any = None, *_: Any, **options: Any) -> Any:
        """A group is made by all ranks, also by those that are not in it, unless it is synchronised locally."""
        if not initialized():
            raise ValueError(NOT_STARTED)
        members = tuple(sorted(ranks)) if ranks is not None else g.whole().ranks
        local = bool(options.get("use_local_synchronization"))
        if local and g.world.rank not in members:
            return None
        seat = Seat(index=members.index(g.world.rank), ranks=members) if local else g.whole()
        g.meet("new_group", "new", seat, arguments=(("ranks", str(list(members))),))
        made = original(list(members), use_local_synchronization=local)
        if g.world.rank in members:
            g.world.named(made.group_name, members)
        return made

    return new_group


def _collective(vm: VirtualMachine, g: Gathering, name: str) -> Callable[..., Any]:
    plan, told = DEALS[name], name.removeprefix("_").replace("_base", "_into_tensor" if "gather" in name else "_tensor")

    def collective(*args: Any, group: Any = None, async_op: bool = False, **kwargs: Any) -> Any:
        args, group, async_op = _positional(name, args, group, async_op)
        place = _place(g, name, group)
        if place is None:
            return None
        seat, key = place
        kwargs.pop("device_ids", None)
        deal = plan(seat, *args, **kwargs)
        check(vm, g.backend, told, deal)
        return g.deal(told, key, deal, seat, async_op=async_op)

    return collective


_PARAMETERS = {
    "all_gather": 2, "all_gather_into_tensor": 2, "_all_gather_base": 2, "all_reduce": 2, "all_to_all": 2,
    "all_to_all_single": 4, "barrier": 0, "broadcast": 2, "gather": 3, "monitored_barrier": 0, "reduce": 3,
    "reduce_scatter": 3, "reduce_scatter_tensor": 3, "_reduce_scatter_base": 3, "scatter": 3,
}  # fmt: skip
"""How many parameters come before `group` and `async_op`, which are next in all of them."""


def _positional(name: str, args: tuple[Any, ...], group: Any, async_op: bool) -> tuple[tuple[Any, ...], Any, bool]:
    own, rest = args[: _PARAMETERS[name]], args[_PARAMETERS[name] :]
    if rest:
        group = rest[0]
    if len(rest) > 1 and name != "monitored_barrier":
        async_op = bool(rest[1])
    return own, group, async_op


def _place(g: Gathering, name: str, group: Any) -> tuple[Seat, str] | None:
    if not initialized():
        raise ValueError(NOT_STARTED)
    place = g.seat(group)
    if place is None:
        g._c10d._warn_not_in_group(name)
    return place


def check(vm: VirtualMachine, backend: str, op: str, deal: Deal) -> None:
    """What torch and the backend refuse on this rank alone: dtypes that differ, a device whose memory they cannot move.

    A tensor on the wrong device is told of and stays where it is.
    """
    tensors = deal.tensors()
    first = tensors[0] if tensors else None
    other = next((t for t in tensors if first is not None and t.dtype is not first.dtype), None)
    if first is not None and other is not None:
        text = f"Invalid usage of tensors with different dtypesFound {first.dtype} and  {other.dtype}"
        violation = Violation(
            kind="dtype", odd=("output",), expected=str(first.dtype)[6:], like="input", error=text, raises="ValueError"
        )
        none = Record(None, None, None)
        vm.recorder.call(op, violation, [("input", first, find(first) or none), ("output", other, find(other) or none)])
    placed(vm, op, backend, tensors)


def _several(g: Gathering, table: dict[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Calls over a list of tensors: one after the other."""

    def all_reduce_coalesced(
        tensors: Sequence[torch.Tensor], op: Any = dist.ReduceOp.SUM, group: Any = None, async_op: bool = False
    ) -> Any:
        handles = [table["all_reduce"](t, op, group, True) for t in tensors]
        return g.settled(lambda: [h.wait() for h in handles if h], async_op=async_op)  # type: ignore[func-returns-value,arg-type]

    return {"all_reduce_coalesced": all_reduce_coalesced}


def _objects(g: Gathering, c10d: Any) -> dict[str, Callable[..., Any]]:
    def root(group: Any, rank: int | None, group_rank: int | None) -> int:
        place = g.seat(group)
        return 0 if place is None else place[0].place(rank, group_rank)

    def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
        _started()
        found = g.objects("all_gather_object", group, None, obj)
        if found is not None:
            object_list[:] = found[1]

    def gather_object(
        obj: Any,
        object_gather_list: list[Any] | None = None,
        dst: int | None = None,
        group: Any = None,
        group_dst: int | None = None,
    ) -> None:
        _started()
        at = root(group, dst, group_dst)
        found = g.objects("gather_object", group, ("dst", at), obj)
        if found is not None and found[0].index == at and object_gather_list is not None:
            object_gather_list[:] = found[1]

    def broadcast_object_list(
        object_list: list[Any], src: int | None = None, group: Any = None, device: Any = None,
        group_src: int | None = None,
    ) -> None:  # fmt: skip
        _started()
        at = root(group, src, group_src)
        found = g.objects("broadcast_object_list", group, ("src", at), list(object_list))
        if found is not None and found[1][at] is not None:
            object_list[:] = found[1][at]

    def scatter_object_list(
        scatter_object_output_list: list[Any], scatter_object_input_list: list[Any] | None = None,
        src: int | None = None, group: Any = None, group_src: int | None = None,
    ) -> None:  # fmt: skip
        _started()
        at = root(group, src, group_src)
        found = g.objects("scatter_object_list", group, ("src", at), scatter_object_input_list)
        if found is not None and found[1][at]:
            scatter_object_output_list[0] = found[1][at][found[0].index]

    return {
        "all_gather_object": all_gather_object,
        "gather_object": gather_object,
        "broadcast_object_list": broadcast_object_list,
        "scatter_object_list": scatter_object_list,
    }


def _started() -> None:
    if not initialized():
        raise ValueError(NOT_STARTED)


def _to_one(vm: VirtualMachine, g: Gathering) -> dict[str, Callable[..., Any]]:
    """Calls between two ranks."""

    def go(  # noqa: PLR0913 - torch's parameters
        op: str, tensor: torch.Tensor, peer: int | None, group: Any, tag: int, group_peer: int | None
    ) -> Pending | None:
        place = _place(g, op, group)
        if place is None:
            return None
        seat, key = place
        other = seat.ranks[group_peer] if group_peer is not None else -1 if peer is None else peer
        sends = "send" in op
        pair = (g.world.rank, other) if sends else (other, g.world.rank)
        here = Seat(index=0 if sends else 1, ranks=pair)
        deal = Deal(gives=[None, tensor] if sends else [], gets=[] if sends else [tensor, None])
        placed_deal = Deal(gives=[tensor])
        check(vm, g.backend, op, placed_deal)
        data, assumed = given([tensor]) if sends else (b"", False)
        one = g.described(op, key, here, [tensor], deal=deal)
        number = g.world.bring(one, data, assumed=assumed, tag=0 if g.backend == "nccl" else tag)
        return Pending(lambda: put(deal, 1, g.world.answer(number).brought) if not sends else _over(number))

    def _over(number: int) -> None:
        g.world.answer(number)

    def send(
        tensor: torch.Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
    ) -> None:
        pending = go("send", tensor, dst, group, tag, group_dst)
        if pending is not None:
            pending.wait()

    def recv(
        tensor: torch.Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
    ) -> int:
        pending = go("recv", tensor, src, group, tag, group_src)
        if pending is not None:
            pending.wait()
        return src if src is not None else 0

    def isend(
        tensor: torch.Tensor, dst: int | None = None, group: Any = None, tag: int = 0, group_dst: int | None = None
    ) -> Any:
        return go("isend", tensor, dst, group, tag, group_dst)

    def irecv(
        tensor: torch.Tensor, src: int | None = None, group: Any = None, tag: int = 0, group_src: int | None = None
    ) -> Any:
        return go("irecv", tensor, src, group, tag, group_src)

    def batch_isend_irecv(p2p_op_list: Sequence[Any]) -> list[Any]:
        names = {id(send): "isend", id(isend): "isend", id(recv): "irecv", id(irecv): "irecv"}
        return [go(names[id(one.op)], one.tensor, one.peer, one.group, one.tag, None) for one in p2p_op_list]

    def send_object_list(object_list: list[Any], dst: int | None = None, *_: Any, **options: Any) -> None:
        _object_pair(g, (g.world.rank, dst if dst is not None else options.get("group_dst", 0)), object_list)

    def recv_object_list(object_list: list[Any], src: int | None = None, *_: Any, **options: Any) -> int:
        source = src if src is not None else options.get("group_src", 0)
        found = _object_pair(g, (source, g.world.rank), None)
        if found is not None:
            object_list[:] = found
        return int(source)

    return {
        "send": send, "recv": recv, "isend": isend, "irecv": irecv, "batch_isend_irecv": batch_isend_irecv,
        "send_object_list": send_object_list, "recv_object_list": recv_object_list,
    }  # fmt: skip


def _object_pair(g: Gathering, pair: tuple[int, int], value: list[Any] | None) -> list[Any] | None:
    import pickle

    seat = Seat(index=0 if value is not None else 1, ranks=pair)
    one = g.described("send" if value is not None else "recv", "objects", seat, ())
    data = b"" if value is None else pickle.dumps(value)
    answer = g.world.answer(g.world.bring(one, data, tag=0))
    if answer.brought is None or value is not None:
        return None
    found: list[Any] = pickle.loads(answer.brought[0].data or b"N.")  # noqa: S301 - as torch: the program's own bytes
    return found


def environment(rank: int, size: int, port: int) -> dict[str, str]:
    """What `torchrun --standalone` sets for a rank (torch/distributed/elastic/agent/server/local_elastic_agent.py)."""
    return {
        "RANK": str(rank),
        "LOCAL_RANK": str(rank),
        "GROUP_RANK": "0",
        "ROLE_RANK": str(rank),
        "ROLE_NAME": "default",
        "WORLD_SIZE": str(size),
        "LOCAL_WORLD_SIZE": str(size),
        "GROUP_WORLD_SIZE": "1",
        "ROLE_WORLD_SIZE": str(size),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "TORCHELASTIC_RESTART_COUNT": "0",
        "TORCHELASTIC_MAX_RESTARTS": "0",
        "TORCHELASTIC_RUN_ID": "none",
        "TORCHELASTIC_USE_AGENT_STORE": "False",
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
    }
