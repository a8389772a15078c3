"""Collectives of Python objects: they arrive as torch sends them, so a configuration of rank 0 steers all ranks."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from .collective_buffers import Seat

if TYPE_CHECKING:
    from collections.abc import Callable

    from .process_group import Gathering


def objects(g: Gathering) -> dict[str, Callable[..., Any]]:
    """By torch's names."""

    def root(group: Any, rank: int | None, group_rank: int | None) -> int:
        place = g.seat(group)
        return 0 if place is None else place[0].place(rank, group_rank)

    def all_gather_object(object_list: list[Any], obj: Any, group: Any = None) -> None:
        g.started()
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
        g.started()
        at = root(group, dst, group_dst)
        found = g.objects("gather_object", group, ("dst", at), obj)
        if found is not None and found[0].index == at and object_gather_list is not None:
            object_gather_list[:] = found[1]

    def broadcast_object_list(
        object_list: list[Any], src: int | None = None, group: Any = None, _device: Any = None,
        group_src: int | None = None, **_: Any,
    ) -> None:  # fmt: skip
        g.started()
        at = root(group, src, group_src)
        found = g.objects("broadcast_object_list", group, ("src", at), list(object_list))
        if found is not None and found[1][at] is not None:
            object_list[:] = found[1][at]

    def scatter_object_list(
        scatter_object_output_list: list[Any], scatter_object_input_list: list[Any] | None = None,
        src: int | None = None, group: Any = None, group_src: int | None = None,
    ) -> None:  # fmt: skip
        g.started()
        at = root(group, src, group_src)
        found = g.objects("scatter_object_list", group, ("src", at), scatter_object_input_list)
        if found is not None and found[1][at]:
            scatter_object_output_list[0] = found[1][at][found[0].index]

    def send_object_list(object_list: list[Any], dst: int | None = None, *_: Any, **options: Any) -> None:
        _between_two(g, (g.world.rank, dst if dst is not None else options.get("group_dst", 0)), object_list)

    def recv_object_list(object_list: list[Any], src: int | None = None, *_: Any, **options: Any) -> int:
        source = src if src is not None else options.get("group_src", 0)
        found = _between_two(g, (source, g.world.rank), None)
        if found is not None:
            object_list[:] = found
        return int(source)

    return {
        "send_object_list": send_object_list,
        "recv_object_list": recv_object_list,
        "all_gather_object": all_gather_object,
        "gather_object": gather_object,
        "broadcast_object_list": broadcast_object_list,
        "scatter_object_list": scatter_object_list,
    }


def _between_two(g: Gathering, pair: tuple[int, int], value: list[Any] | None) -> list[Any] | None:
    seat = Seat(index=0 if value is not None else 1, ranks=pair)
    one = g.described("send" if value is not None else "recv", "objects", seat, ())
    data = b"" if value is None else pickle.dumps(value)
    answer = g.world.answer(g.world.bring(one, data, tag=0))
    if answer.brought is None or value is not None:
        return None
    found: list[Any] = pickle.loads(answer.brought[0].data or b"N.")  # noqa: S301 - as torch: the program's own bytes
    return found
