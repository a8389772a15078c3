"""Data movement of each torch.distributed collective: which tensor goes to which rank, and its target.

One function per collective, with torch's own parameters after the seat; point-to-point calls and objects are elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Tensors = list["torch.Tensor | None"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRank:
    """A rank's place in a process group: `index` among `ranks`."""

    index: int
    ranks: tuple[int, ...]

    @property
    def size(self) -> int:
        """The number of ranks."""
        return len(self.ranks)

    def place(self, rank: int | None, group_rank: int | None) -> int:
        """Return the index of a root that is given as a global rank or as one of the group."""
        if group_rank is not None:
            return group_rank
        return self.ranks.index(rank if rank is not None else 0)


@dataclass(slots=True, kw_only=True)
class BufferMove:
    """`gives[i]` goes to member i, what comes from member i is put in `gets[i]`; `reduce` joins them all in one.

    `root` is the argument that names the rank of all that is given or got.
    """

    gives: Tensors = field(default_factory=list)
    gets: Tensors = field(default_factory=list)
    reduce: str = ""
    root: tuple[str, int] | None = None

    @property
    def arguments(self) -> tuple[tuple[str, str], ...]:
        """The arguments that all ranks must agree on."""
        named = () if self.root is None else ((self.root[0], str(self.root[1])),)
        return (*named, ("op", self.reduce)) if self.reduce else named

    def tensors(self) -> list[torch.Tensor]:
        """Return all tensors of the call without duplicates, sent ones first."""
        found: dict[int, torch.Tensor] = {
            id(t): t for t in (*self.gives, *self.gets) if t is not None
        }
        return list(found.values())


def reduction(op: Any) -> str:
    """Return how torch calls it: "SUM"."""
    return (
        (op if isinstance(op, str) else str(getattr(op, "op", op)))
        .rpartition(".")[2]
        .upper()
    )


def _only(s: GroupRank, index: int, tensor: torch.Tensor | None) -> Tensors:
    return [tensor if i == index else None for i in range(s.size)]


def _cut(
    s: GroupRank, tensor: torch.Tensor, sizes: Sequence[int] | None = None
) -> Tensors:
    """Return a tensor's parts for each member: equal ones of its memory, or of `sizes` rows."""
    if sizes:
        return list(tensor.detach().split(list(sizes)))
    if tensor.numel() % s.size:
        raise RuntimeError(
            "output tensor size must be equal to world_size times input tensor size"
        )
    if tensor.numel():
        return list(tensor.detach().reshape(-1).chunk(s.size))
    return [tensor] * s.size


def _same_count(
    output: torch.Tensor,
    input: torch.Tensor,  # noqa: A002 - torch's name
    times: int,
    text: str,
) -> None:
    if output.numel() != times * input.numel():
        raise RuntimeError(text)


def _all_reduce(
    s: GroupRank, tensor: torch.Tensor, op: Any = "RedOpType.SUM"
) -> BufferMove:
    every: Tensors = [tensor] * s.size
    return BufferMove(gives=every, gets=every, reduce=reduction(op))


def _reduce(
    s: GroupRank,
    tensor: torch.Tensor,
    dst: int | None = None,
    op: Any = "RedOpType.SUM",
    group_dst: int | None = None,
) -> BufferMove:
    move = _gather(s, tensor, [tensor] * s.size, dst, group_dst)
    move.reduce = reduction(op)
    return move


def _broadcast(
    s: GroupRank,
    tensor: torch.Tensor,
    src: int | None = None,
    group_src: int | None = None,
) -> BufferMove:
    return _scatter(s, tensor, [tensor] * s.size, src, group_src)


def _all_gather(
    s: GroupRank, tensor_list: Sequence[torch.Tensor], tensor: torch.Tensor
) -> BufferMove:
    if len(tensor_list) != s.size:
        raise ValueError(
            "ProcessGroup::allgather: output tensor list must have one tensor for each rank"
        )
    return BufferMove(gives=[tensor] * s.size, gets=list(tensor_list))


def _all_gather_into_tensor(
    s: GroupRank, output_tensor: torch.Tensor, input_tensor: torch.Tensor
) -> BufferMove:
    text = "output tensor size must be equal to world_size times input tensor size"
    _same_count(output_tensor, input_tensor, s.size, text)
    return BufferMove(gives=[input_tensor] * s.size, gets=_cut(s, output_tensor))


def _gather(
    s: GroupRank,
    tensor: torch.Tensor,
    gather_list: Sequence[torch.Tensor] | None = None,
    dst: int | None = None,
    group_dst: int | None = None,
) -> BufferMove:
    root = s.place(dst, group_dst)
    gets: Tensors = list(gather_list or ()) if s.index == root else []
    named = "dst", s.ranks[root]
    return BufferMove(gives=_only(s, root, tensor), gets=gets, root=named)


def _scatter(
    s: GroupRank,
    tensor: torch.Tensor,
    scatter_list: Sequence[torch.Tensor] | None = None,
    src: int | None = None,
    group_src: int | None = None,
) -> BufferMove:
    root = s.place(src, group_src)
    gives: Tensors = list(scatter_list or ()) if s.index == root else []
    named = "src", s.ranks[root]
    return BufferMove(gives=gives, gets=_only(s, root, tensor), root=named)


def _reduce_scatter(
    s: GroupRank,
    output: torch.Tensor,
    input_list: Sequence[torch.Tensor],
    op: Any = "RedOpType.SUM",
) -> BufferMove:
    gets: Tensors = [output] * s.size
    return BufferMove(gives=list(input_list), gets=gets, reduce=reduction(op))


def _reduce_scatter_tensor(
    s: GroupRank,
    output: torch.Tensor,
    input: torch.Tensor,  # noqa: A002 - torch's name
    op: Any = "RedOpType.SUM",
) -> BufferMove:
    text = "input tensor must be the same size as output size times world size"
    _same_count(input, output, s.size, text)
    gets: Tensors = [output] * s.size
    return BufferMove(gives=_cut(s, input), gets=gets, reduce=reduction(op))


def _all_to_all(
    _: GroupRank,
    output_tensor_list: Sequence[torch.Tensor],
    input_tensor_list: Sequence[torch.Tensor],
) -> BufferMove:
    return BufferMove(gives=list(input_tensor_list), gets=list(output_tensor_list))


def _all_to_all_single(
    s: GroupRank,
    output: torch.Tensor,
    input: torch.Tensor,  # noqa: A002 - torch's name
    output_split_sizes: Sequence[int] | None = None,
    input_split_sizes: Sequence[int] | None = None,
) -> BufferMove:
    return BufferMove(
        gives=_cut(s, input, input_split_sizes),
        gets=_cut(s, output, output_split_sizes),
    )


def _barrier(_: GroupRank, *__: Any, **___: Any) -> BufferMove:
    return BufferMove()


DEALS: dict[str, Callable[..., BufferMove]] = {
    "all_gather": _all_gather,
    "all_gather_into_tensor": _all_gather_into_tensor, "all_gather_single": _all_gather_into_tensor,
    "_all_gather_base": _all_gather_into_tensor, "all_reduce": _all_reduce, "all_to_all": _all_to_all,
    "all_to_all_single": _all_to_all_single, "barrier": _barrier, "broadcast": _broadcast, "gather": _gather,
    "monitored_barrier": _barrier, "reduce": _reduce, "reduce_scatter": _reduce_scatter,
    "reduce_scatter_single": _reduce_scatter_tensor, "reduce_scatter_tensor": _reduce_scatter_tensor,
    "_reduce_scatter_base": _reduce_scatter_tensor, "scatter": _scatter,
}  # fmt: skip
