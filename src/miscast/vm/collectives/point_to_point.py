"""Calls between two ranks: send, recv, and their kin that do not wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .backends import checked
from .collective_buffers import Deal, Seat
from .exchange import given, put
from .process_group import Gathering, Pending

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import torch

    from ..machine import VirtualMachine


def between_two(vm: VirtualMachine, g: Gathering) -> dict[str, Callable[..., Any]]:
    """By torch's names."""

    def go(  # noqa: PLR0913 - torch's parameters
        op: str, tensor: torch.Tensor, peer: int | None, group: Any, tag: int, group_peer: int | None
    ) -> Pending | None:
        place = g.enter(op, group)
        if place is None:
            return None
        seat, key = place
        other = seat.ranks[group_peer] if group_peer is not None else -1 if peer is None else peer
        sends = "send" in op
        pair = (g.world.rank, other) if sends else (other, g.world.rank)
        here = Seat(index=0 if sends else 1, ranks=pair)
        deal = Deal(gives=[None, tensor] if sends else [], gets=[] if sends else [tensor, None])
        checked(vm, op, g.backend, [tensor])
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

    return {
        "send": send, "recv": recv, "isend": isend, "irecv": irecv, "batch_isend_irecv": batch_isend_irecv,
    }  # fmt: skip
