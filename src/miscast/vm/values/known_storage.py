"""The values that a record holds: its `twin`, a real storage beside the data-less one."""

from __future__ import annotations

from typing import Any

import torch

from ...running.torch_abi import DispatchKey, DispatchKeySet
from ..provenance.record import BITS, Record, find, is_tensor, view_of
from ..virtualize import is_plain

BELOW_AUTOCAST = DispatchKeySet(DispatchKey.AutocastCPU)
"""Excluded while an op runs on values: it gets its operands as autocast has cast them already."""


def recorded(tensor: torch.Tensor) -> Record:
    """Return the record of a tensor; one that knows nothing, and leaves all answers open, where it has none."""
    record = find(tensor)
    if record is None:
        record = Record(None, None, None)
        record.free = True
    return record


def known(tensor: torch.Tensor) -> torch.Tensor:
    """Return the values of a virtual tensor, as a real one; the tensor itself where they are not known."""
    record = find(tensor)
    if record is None or record.twin is None:
        return tensor
    return view_of(record.twin, tensor)


def keep(virtual: torch.Tensor, real: torch.Tensor, *, assumed: bool = False) -> None:
    """Remember `real` as the value of `virtual` (same shape; a fresh storage of its own)."""
    record = find(virtual)
    if record is None or not is_plain(virtual) or not is_plain(real):
        return
    if virtual.dtype in BITS and not virtual.is_floating_point():  # torch copies none
        return
    if virtual.shape != real.shape or virtual.storage_offset():
        return
    if _layout(real) != _layout(virtual):
        storage = torch.UntypedStorage(virtual.untyped_storage().nbytes())
        real = view_of(storage, virtual).copy_(real)
    record.twin = real.untyped_storage()
    record.assumed = assumed


def _layout(tensor: torch.Tensor) -> tuple[object, ...]:
    return tensor.stride(), tensor.storage_offset(), tensor.is_conj(), tensor.is_neg()


def written(tensor: torch.Tensor, record: Record | None) -> None:
    """Mark a tensor's value as unknown after a write; small integers keep their numbers, as placeholders."""
    if record is not None and record.twin is not None:
        if tensor.is_floating_point() or tensor.is_complex():
            record.twin = None
        else:
            record.assumed = True


def tensors_in(tree: Any) -> list[torch.Tensor]:
    """Return the tensors that an op returned: one, or those of a tuple or a list."""
    if is_tensor(tree):
        return [tree]
    return [t for t in tree if is_tensor(t)] if isinstance(tree, (list, tuple)) else []
