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
    """The calls of one rank; each method has torch's name and torch's parameters."""

    def __init__(self, vm: VirtualMachine, gathering: Gathering) -> None:
        """Take the process groups from `gathering`."""
        self._vm = vm
        self._gathering = gathering

    def calls(self) -> dict[str, Callable[..., Any]]:
        """Return the calls by their torch names."""
        named = (self.send, self.recv, self.isend, self.irecv, self.batch_isend_irecv)
        return {function.__name__: function for function in named}

    def send(
        self,
        tensor: torch.Tensor,
        dst: int | None = None,
        group: Any = None,
        tag: int = 0,
        group_dst: int | None = None,
    ) -> None:
        """Send the tensor, and wait until the other rank has it."""
        _wait(self._start("send", tensor, dst, group, tag, group_dst))

    def recv(
        self,
        tensor: torch.Tensor,
        src: int | None = None,
        group: Any = None,
        tag: int = 0,
        group_src: int | None = None,
    ) -> int:
        """Wait until the tensor has arrived, and return the rank that it came from."""
        _wait(self._start("recv", tensor, src, group, tag, group_src))
        return src or 0

    def isend(
        self,
        tensor: torch.Tensor,
        dst: int | None = None,
        group: Any = None,
        tag: int = 0,
        group_dst: int | None = None,
    ) -> Any:
        """Return what waits for the other rank."""
        return self._start("isend", tensor, dst, group, tag, group_dst)

    def irecv(
        self,
        tensor: torch.Tensor,
        src: int | None = None,
        group: Any = None,
        tag: int = 0,
        group_src: int | None = None,
    ) -> Any:
        """Return what waits for the tensor."""
        return self._start("irecv", tensor, src, group, tag, group_src)

    def batch_isend_irecv(self, p2p_op_list: Sequence[Any]) -> list[Any]:
        """Return all at once."""
        ops = {
            self.send: "isend",
            self.isend: "isend",
            self.recv: "irecv",
            self.irecv: "irecv",
        }
        return [
            self._start(ops[one.op], one.tensor, one.peer, one.group, one.tag, None)
            for one in p2p_op_list
        ]

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


def _wait(pending: Pending | None) -> None:
    if pending is not None:
        pending.wait()
