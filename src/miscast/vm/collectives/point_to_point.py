"""Calls between two ranks: send, recv, and their kin that do not wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .backends import checked
from .collective_buffers import BufferMove, GroupRank
from .exchange import given, put
from .process_group import Gathering, Pending

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import torch

    from ..machine import VirtualMachine


class PointToPoint:
    """The calls of one rank."""

    def __init__(self, vm: VirtualMachine, gathering: Gathering) -> None:
        """Take the process groups from `gathering`."""
        self._vm = vm
        self._gathering = gathering

    def calls(self) -> dict[str, Callable[..., Any]]:
        """Return the calls by their torch names."""
        single = {op: self._call(op) for op in ("send", "recv", "isend", "irecv")}
        ops = {call: f"i{op.removeprefix('i')}" for op, call in single.items()}

        def batch_isend_irecv(p2p_op_list: Sequence[Any]) -> list[Any]:
            return [
                self._start(ops[one.op], one.tensor, one.peer, one.group, one.tag, None)
                for one in p2p_op_list
            ]

        return {**single, "batch_isend_irecv": batch_isend_irecv}

    def _call(self, op: str) -> Callable[..., Any]:
        """Return a call with torch's parameters: `dst` and `group_dst` name the other rank, or `src` and `group_src`.

        One that does not wait returns what does; `recv` returns the rank that the tensor came from.
        """
        end = "dst" if "send" in op else "src"

        def call(
            tensor: torch.Tensor,
            peer: int | None = None,
            group: Any = None,
            tag: int = 0,
            group_peer: int | None = None,
            **named: int | None,
        ) -> Any:
            peer = named.get(end, peer)
            group_peer = named.get(f"group_{end}", group_peer)
            pending = self._start(op, tensor, peer, group, tag, group_peer)
            if op.startswith("i"):
                return pending
            if pending is not None:
                pending.wait()
            return None if op == "send" else peer or 0

        return call

    def _start(  # noqa: PLR0913 - torch's parameters
        self,
        op: str,
        tensor: torch.Tensor,
        peer: int | None,
        group: Any,
        tag: int,
        group_peer: int | None,
    ) -> Pending | None:
        g = self._gathering
        place = g.enter(op, group)
        if place is None:
            return None
        seat, key = place
        other = (
            seat.ranks[group_peer]
            if group_peer is not None
            else -1
            if peer is None
            else peer
        )
        checked(self._vm, op, g.backend, [tensor])
        if "send" in op:
            here = GroupRank(index=0, ranks=(g.world.rank, other))
            deal, (data, assumed) = BufferMove(gives=[None, tensor]), given([tensor])
        else:
            here = GroupRank(index=1, ranks=(other, g.world.rank))
            deal, data, assumed = BufferMove(gets=[tensor, None]), b"", False
        one = g.described(op, key, here, [tensor], deal=deal)
        number = g.world.bring(
            one, data, assumed=assumed, tag=0 if g.backend == "nccl" else tag
        )
        # What is sent leaves nothing to put: its deal has no `gets`.
        return Pending(lambda: put(deal, 1, g.world.answer(number).brought))
