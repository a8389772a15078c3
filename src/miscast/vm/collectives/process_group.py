"""The calls of torch.distributed in a world of several ranks: each goes to a meeting, and takes what came out of it."""

from __future__ import annotations

import pickle
import sys
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from ...core.event import Location, TensorMeta
from ...core.meeting import Collective, Part
from ..provenance import module_paths
from ..provenance.origin import locate, places
from ..provenance.record import find
from .collective_buffers import BufferMove, GroupRank
from .exchange import given, put
from .single_rank import NOT_STARTED, Done
from .world import Answer, MultiRankTrace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..machine import VirtualMachine

_NOWHERE = Location(file="<unknown>", line=0)


class Pending(Done):
    """The handle of a collective whose results are there once somebody waits."""

    def __init__(self, finish: Callable[[], None]) -> None:
        """Keep `finish`, which waits and puts the results in place; it is called once."""
        self._finish: Callable[[], None] | None = finish

    def wait(self, timeout: Any = None) -> bool:
        """Wait until all ranks have called the collective."""
        finish, self._finish = self._finish, None
        if finish is not None:
            finish()
        return super().wait(timeout)

    def is_completed(self) -> bool:
        """Wait, and return True."""
        return self.wait()

    is_success = is_completed

    def get_future(self) -> Any:
        """Return a future that is over."""
        self.wait()
        return super().get_future()


class Gathering:
    """The contributions of this rank to its process groups' meetings, and the results."""

    def __init__(self, vm: VirtualMachine, world: MultiRankTrace) -> None:
        """Start without a `backend`; it is set to the one that the program requests."""
        self.vm, self.world = vm, world
        self.backend = ""
        self._c10d: Any = sys.modules["torch.distributed.distributed_c10d"]

    def seat(self, group: Any) -> tuple[GroupRank, str] | None:
        """Return this rank's place in a group, and the group's name; None if it is not a member."""
        if self._c10d._rank_not_in_group(group):
            return None
        # `group` may be torch.distributed.group.WORLD, a ProcessGroup, or nothing.
        held = group if group is not None else self._c10d._get_default_group()
        ranks = tuple(self._c10d._world.pg_group_ranks[held])
        seat = GroupRank(index=ranks.index(self.world.rank), ranks=ranks)
        return seat, held.group_name

    def started(self) -> None:
        """Raise what torch raises before there is a process group."""
        if not dist.is_initialized():
            raise ValueError(NOT_STARTED)

    def enter(self, op: str, group: Any) -> tuple[GroupRank, str] | None:
        """Return the seat for a call; None, with torch's warning, where this rank is no member."""
        self.started()
        place = self.seat(group)
        if place is None:
            self._c10d._warn_not_in_group(op)
        return place

    def whole(self) -> GroupRank:
        """Return this rank's place among all ranks."""
        return GroupRank(index=self.world.rank, ranks=tuple(range(self.world.size)))

    def deal(
        self,
        op: str,
        group: Any,
        deal: BufferMove,
        seat: GroupRank,
        *,
        async_op: bool = False,
    ) -> Pending | None:
        """Bring what a deal gives, and put what the others bring in place: now, or when somebody waits."""
        data, assumed = (
            given(deal.gives)
            if any(t is not None for t in deal.gives)
            else (b"", False)
        )
        one = self.described(op, group, seat, deal.tensors(), deal=deal)
        number = self.world.bring(one, data, assumed=assumed)

        def finish() -> None:
            put(deal, seat.index, self.world.answer(number).brought)

        return self.settled(finish, async_op=async_op)

    def settled(self, finish: Callable[[], None], *, async_op: bool) -> Pending | None:
        """Wait now, or hand over what waits."""
        pending = Pending(finish)
        if async_op:
            return pending
        pending.wait()
        return None

    def meet(  # noqa: PLR0913 - the parts of a call
        self,
        op: str,
        group: str,
        seat: GroupRank,
        *,
        arguments: Sequence[tuple[str, str]] = (),
        parts: Sequence[Part] = (),
        data: bytes | None = None,
    ) -> Answer:
        """Synchronize without tensors: for objects, groups, and what torch compares when a model is wrapped."""
        one = self.described(
            op, group, seat, (), arguments=tuple(arguments), parts=tuple(parts)
        )
        return self.world.answer(self.world.bring(one, data))

    def objects(
        self, op: str, group: Any, root: tuple[str, int] | None, value: Any
    ) -> tuple[GroupRank, list[Any]] | None:
        """Return what each member brings, as torch sends it: pickled by one rank of the program, unpickled by another.

        None where an object cannot be had: this rank's own stands for it then.
        """
        place = self.enter(op, group)
        if place is None:
            return None
        seat, name = place
        arguments = ((root[0], str(seat.ranks[root[1]])),) if root else ()
        data = b""
        if root is None or root[0] == "dst" or root[1] == seat.index:
            data = pickle.dumps(value)
        answer = self.meet(op, name, seat, arguments=arguments, data=data)
        if answer.brought is None:
            return seat, [value] * seat.size
        # The bytes are those of this program's own ranks: what torch does with them.
        return seat, [
            pickle.loads(one.data) if one.data else None  # noqa: S301
            for one in answer.brought
        ]

    def described(  # noqa: PLR0913 - the parts of a call
        self,
        op: str,
        group: str,
        seat: GroupRank,
        tensors: Sequence[torch.Tensor],
        *,
        deal: BufferMove | None = None,
        arguments: tuple[tuple[str, str], ...] = (),
        parts: tuple[Part, ...] = (),
    ) -> Collective:
        """Return a call as the other ranks are to see it."""
        user, library = places(sys._getframe(1))
        return Collective(
            op=op,
            rank=self.world.rank,
            ranks=seat.ranks,
            group=group,
            location=locate(user, module_paths.path(sys._getframe(1))) or _NOWHERE,
            backend=self.backend,
            sends=_counts(seat, deal.gives) if deal else (),
            takes=_counts(seat, deal.gets) if deal else (),
            arguments=deal.arguments if deal else arguments,
            parts=parts,
            library=locate(library),
            **(_about(tensors[0]) if tensors else {}),
        )


def _about(tensor: torch.Tensor) -> dict[str, Any]:
    """Return what a call says of the first of its tensors."""
    record = find(tensor)
    dtype, device = (
        (record.dtype_origin, record.device_origin) if record else (None, None)
    )
    return {
        "tensor": meta(tensor),
        "dtype_origin": dtype.freeze() if dtype else None,
        "device_origin": device.place() if device else None,
    }


def meta(tensor: torch.Tensor) -> TensorMeta:
    """Return a tensor as plain data."""
    record = find(tensor)
    device = (
        record.device if record is not None and record.device is not None else "meta"
    )
    return TensorMeta(
        dtype=str(tensor.dtype)[6:],
        device=str(device),
        shape=tuple(int(n) for n in tensor.shape),
    )


def _counts(seat: GroupRank, tensors: Sequence[torch.Tensor | None]) -> tuple[int, ...]:
    return (
        tuple(0 if t is None else t.numel() for t in tensors)
        if tensors
        else (0,) * seat.size
    )
