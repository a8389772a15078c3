"""Sparse tensors: their numbers are not looked at, and an entry that is there twice stays so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .factories import make
from .other_dtypes import judged

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..schema import Plan


def unchecked(
    d: Dispatcher, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """A sparse tensor is made; `check_invariants=True` would read indices, of which there are none in memory."""
    with torch.sparse.check_sparse_tensor_invariants(enable=False):
        return make(d, plan, args, kwargs)


def coalesce(
    d: Dispatcher, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """As many entries as before: which of them are at one place only indices can tell."""

    def run(self: torch.Tensor) -> torch.Tensor:
        return self.clone()._coalesced_(True)

    return judged(d, plan, args, kwargs, run)


SPECIALS = {
    "_coalesce": coalesce,
    "sparse_coo_tensor": unchecked,
    "sparse_compressed_tensor": unchecked,
    "sparse_csr_tensor": unchecked,
}
