"""Make real tensors virtual. They are data-less for torch, and keep the real memory as their known value."""

from __future__ import annotations

import weakref

import torch

from .provenance import factories
from .provenance.origin import Origin, places
from .provenance.record import (
    NAME,
    Record,
    device_of,
    find,
    is_meta,
    is_wrapped,
    view_of,
)

_MOST, _MOST_WHOLE = 1 << 16, 1 << 20
_COUNTERPART = "_miscast_counterpart"


def is_plain(real: torch.Tensor) -> bool:
    """Check whether a virtual tensor can represent a real one: sparse, quantized, nested and wrapped ones stay real."""
    return real.layout is torch.strided and not (
        real.is_quantized or real.is_nested or is_wrapped(real)
    )


def most(dtype: torch.dtype) -> int:
    """Return the number of elements up to which values are kept; larger for integers: sizes, places and masks."""
    return _MOST if dtype.is_floating_point or dtype.is_complex else _MOST_WHOLE


def is_small(tensor: torch.Tensor) -> bool:
    """Check whether a tensor's values are kept."""
    return tensor.numel() <= most(tensor.dtype)


def virtualize(
    real: torch.Tensor,
    op: str = "torch.tensor",
    kind: str = "born",
    device: torch.device | None = None,
    *,
    own: bool = True,
) -> torch.Tensor:
    """Return the virtual tensor of a real one; tensors that share memory continue to share it.

    With `own=False` the memory is not the program's to write to: small values are copied, large ones unknown.
    Must run with the dispatch key excluded.
    """
    if is_meta(real) or not is_plain(real):
        return real
    storage = real.untyped_storage()
    # Weak, because the counterpart holds the real storage: a cycle would keep every batch of a data loader.
    counterpart = getattr(storage, _COUNTERPART, lambda: None)()
    if counterpart is None:
        counterpart = torch.UntypedStorage(storage.nbytes(), device="meta")
        device = device or device_of(real.device)
        origin = Origin(kind, op, real.dtype, device, places())  # type: ignore[arg-type]
        record = Record(device, origin, origin)
        if own:
            record.twin = storage
        elif is_small(real):
            record.twin = storage.clone()
        setattr(counterpart, NAME, record)
        setattr(storage, _COUNTERPART, weakref.ref(counterpart))
    virtual = factories.empty(0, dtype=real.dtype, device="meta")
    virtual.set_(counterpart, real.storage_offset(), real.size(), real.stride())
    if type(real) is torch.nn.Parameter:
        virtual = torch.nn.Parameter(virtual, requires_grad=real.requires_grad)
    elif real.requires_grad and real.is_leaf:
        virtual.requires_grad_(True)
    return virtual


def realize(virtual: torch.Tensor) -> torch.Tensor | None:
    """Return a real tensor with the values of a virtual one, over the same memory; None where they are not known."""
    record = find(virtual)
    if record is None or record.twin is None:
        return None
    return view_of(record.twin, virtual)
