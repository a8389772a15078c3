"""Collectives of torch.distributed, by what its process groups call them."""

from __future__ import annotations

from .op import Op

OPS = (
    Op(name="all_gather", ours=True, aliases="allgather allgather_base allgather_coalesced"),
    Op(name="all_reduce", ours=True, aliases="allreduce allreduce_coalesced"),
    Op(name="all_to_all", ours=True, aliases="alltoall alltoall_base"),
    Op(name="reduce_scatter", ours=True, aliases="reducescatter reduce_scatter_base"),
)
