"""Collectives of Python objects: they arrive as torch sends them, so a configuration of rank 0 steers all ranks."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from .collective_buffers import GroupRank

if TYPE_CHECKING:
    from collections.abc import Callable

    from .process_group import Gathering


class ObjectCollectives:
    """The calls of one rank; each method has torch's name and torch's parameters."""

    def __init__(self, gathering: Gathering) -> None:
        """Take the process groups from `gathering`."""
        self._gathering = gathering

    def calls(self) -> dict[str, Callable[..., Any]]:
        """Return the calls by their torch names."""
        named = (
            self.send_object_list, self.recv_object_list, self.all_gather_object, self.gather_object,
            self.broadcast_object_list, self.scatter_object_list,
        )  # fmt: skip
        return {function.__name__: function for function in named}

    def all_gather_object(
        self, object_list: list[Any], obj: Any, group: Any = None
    ) -> None:
        """Give every rank the objects of all ranks."""
        self._gathering.started()
        found = self._gathering.objects("all_gather_object", group, None, obj)
        if found is not None:
            object_list[:] = found[1]

    def gather_object(
        self,
        obj: Any,
        object_gather_list: list[Any] | None = None,
        dst: int | None = None,
        group: Any = None,
        group_dst: int | None = None,
    ) -> None:
        """Give the root the objects of all ranks."""
        at = self._root(group, dst, group_dst)
        found = self._gathering.objects("gather_object", group, ("dst", at), obj)
        if (
            found is not None
            and found[0].index == at
            and object_gather_list is not None
        ):
            object_gather_list[:] = found[1]

    def broadcast_object_list(
        self,
        object_list: list[Any],
        src: int | None = None,
        group: Any = None,
        _device: Any = None,
        group_src: int | None = None,
        **_: Any,
    ) -> None:
        """Give every rank the root's objects."""
        at = self._root(group, src, group_src)
        found = self._gathering.objects(
            "broadcast_object_list", group, ("src", at), list(object_list)
        )
        if found is not None and found[1][at] is not None:
            object_list[:] = found[1][at]

    def scatter_object_list(
        self,
        scatter_object_output_list: list[Any],
        scatter_object_input_list: list[Any] | None = None,
        src: int | None = None,
        group: Any = None,
        group_src: int | None = None,
    ) -> None:
        """Give each rank one of the root's objects."""
        at = self._root(group, src, group_src)
        found = self._gathering.objects(
            "scatter_object_list", group, ("src", at), scatter_object_input_list
        )
        if found is not None and found[1][at]:
            scatter_object_output_list[0] = found[1][at][found[0].index]

    def send_object_list(
        self, object_list: list[Any], dst: int | None = None, *_: Any, **options: Any
    ) -> None:
        """Send the objects to one other rank."""
        target = dst if dst is not None else options.get("group_dst", 0)
        _between_two(self._gathering, (self._gathering.world.rank, target), object_list)

    def recv_object_list(
        self, object_list: list[Any], src: int | None = None, *_: Any, **options: Any
    ) -> int:
        """Receive objects from one other rank, and return that rank."""
        source = src if src is not None else options.get("group_src", 0)
        found = _between_two(
            self._gathering, (source, self._gathering.world.rank), None
        )
        if found is not None:
            object_list[:] = found
        return int(source)

    def _root(self, group: Any, rank: int | None, group_rank: int | None) -> int:
        self._gathering.started()
        place = self._gathering.seat(group)
        return 0 if place is None else place[0].place(rank, group_rank)


def _between_two(
    g: Gathering, pair: tuple[int, int], value: list[Any] | None
) -> list[Any] | None:
    seat = GroupRank(index=0 if value is not None else 1, ranks=pair)
    one = g.described("send" if value is not None else "recv", "objects", seat, ())
    data = b"" if value is None else pickle.dumps(value)
    answer = g.world.answer(g.world.bring(one, data, tag=0))
    if answer.brought is None or value is not None:
        return None
    found: list[Any] = pickle.loads(answer.brought[0].data or b"N.")  # noqa: S301 - as torch: the program's own bytes
    return found
