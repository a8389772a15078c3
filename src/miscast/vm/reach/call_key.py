"""Tell calls apart by all that a verdict on them may depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..provenance.record import Record, find, is_tensor

if TYPE_CHECKING:
    from ..schema import Args, Kwargs, Plan

_KNOWN_BYTES = 4096
_PLAIN = frozenset({bool, int, str, type(None), torch.dtype, torch.device})


def call_key(plan: Plan, args: Args, kwargs: Kwargs, own: bool) -> object:
    """Return a hashable key: dtypes, shapes and devices, and where numbers add up, how far they have.

    Python's numbers count only in the program's `own` ops, not in those of autograd and of optimizers, and of a view no
    index does.
    """
    written = [name in plan.writes for name in plan.names[: len(args)]]
    return (
        plan.short,
        *(_part(plan, a, own, w) for a, w in zip(args, written, strict=False)),
        *((n, _part(plan, a, own, n in plan.writes)) for n, a in kwargs.items()),
    )


def _part(plan: Plan, a: Any, own: bool, written: bool) -> object:
    if is_tensor(a):
        record = find(a)
        key = a.dtype, a.shape, record and record.device
        if not own or record is None:
            return key
        sums = max(record.sums.values(), default=0), record.chain, record.stood
        return *key, *sums, _known(a, record) if written or a.numel() == 1 else None
    if isinstance(a, (list, tuple)):
        return tuple([_part(plan, one, own, written) for one in a])
    if isinstance(a, float):
        return a.hex() if own else None
    return a if type(a) in _PLAIN and not (plan.view and isinstance(a, int)) else None


def _known(tensor: Any, record: Record) -> object:
    """Return the numbers that a tensor is known to hold; counters of 32 bits and more are left out."""
    twin = record.twin
    integral = not (tensor.is_floating_point() or tensor.is_complex())
    if twin is None or record.assumed or (integral and tensor.element_size() >= 4):
        return None
    return tuple(twin[: min(twin.nbytes(), _KNOWN_BYTES)].tolist())
