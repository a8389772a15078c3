"""The shadow's record of a tensor's memory: the same numbers in float64, and their history.

It hangs on the Python object of the storage, which torch keeps alive as long as the storage itself: views share it, and
it ends with the memory that it describes. Numbers that are exact have none: what stands in the tensor is the truth.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch

from ...vm.provenance.record import is_wrapped
from .precision import EXACT

if TYPE_CHECKING:
    from ...vm.provenance.origin import Origin
    from .loss import Loss
    from .precision import Precision
    from .room import Lease, Room
    from .site import Site
    from .sums import Sum

NAME = "_miscast_shadow"


@dataclass(eq=False)
class Record:
    """A storage's record.

    `wide` is its content in float64, element by element, as one dimension. `error` is how far the real numbers are from
    it (2-norm, relative), `culprit` where most of that came about, `source` where the numbers were rounded whose error
    that was before it grew. `whole`: whole numbers by what they are, not by chance; `are_bits`: integers that are no
    count; `made_by`: the op that computed them; `is_drawn`: random ones, and multiples of them, which stand for data.
    `origin` is what gave it its dtype; `is_weight`: it is trained. `sums` are what was added up in it, `carried` what
    it was made from; `residue` is where rounding was taken that may be added later; `taken` has, of numbers taken out
    of a tensor by an index, its record, and what they should have become. `vanished` is where exponentials became 0
    that were added up in it, `overflowed` where what masks became -inf, `infinite` where an op with a pole gave
    infinities of finite numbers. `wrapped` is where integers wrapped, `nan_born` by which rule, where and in which form
    NaN was born, for what is done with them next may show that it was meant. `codes` are losses if the numbers are
    codes of others, `places` what of others was replaced by places in a table, `should_be` what whole numbers would be,
    had nothing rounded what they were made of.
    """

    dtype: torch.dtype
    wide: torch.Tensor | None = None
    lease: Lease | None = None
    error: float = 0.0
    culprit: Site | None = None
    source: Site | None = None
    overflowed: Site | None = None
    infinite: Site | None = None
    whole: bool = False
    origin: Origin | None = None
    is_weight: bool = False
    are_bits: bool = False
    made_by: str = ""
    is_drawn: bool = False
    sums: dict[object, Sum] = field(default_factory=dict)
    carried: dict[tuple[str, Site], tuple[Sum, torch.Tensor, torch.Tensor]] = field(
        default_factory=dict
    )
    residue: tuple[Site, frozenset[object], bool] | None = None
    taken: tuple[Record, torch.Tensor | None] | None = None
    unscaled: tuple[float, float, torch.dtype] | None = None
    wrapped: Site | None = None
    vanished: Site | None = None
    nan_born: tuple[str, Site, str] | None = None
    codes: tuple[Loss, ...] | None = None
    should_be: tuple[torch.Tensor, Site | None] | None = None
    places: tuple[torch.Tensor, bool] | None = None


def is_plain(tensor: object) -> bool:
    """Check whether it is a tensor with numbers in memory of its own.

    No subclass that keeps others inside, not sparse.
    """
    return (
        type(tensor) in (torch.Tensor, torch.nn.Parameter)
        and tensor.layout is torch.strided  # type: ignore[attr-defined]
        and not tensor.is_quantized  # type: ignore[attr-defined]
        and not tensor.is_meta  # type: ignore[attr-defined]
        and not tensor.is_nested  # type: ignore[attr-defined]
        # within `torch.func.grad` or `vmap`: no memory of its own
        and not is_wrapped(tensor)  # type: ignore[arg-type]
    )


def find(tensor: torch.Tensor) -> Record | None:
    """Return the record of a tensor's memory, if it has one that is of the tensor's dtype."""
    record: Record | None = getattr(tensor.untyped_storage(), NAME, None)
    return record if record is not None and record.dtype == tensor.dtype else None


def made(tensor: torch.Tensor) -> Record:
    """Return the record of a tensor's memory; a new one if there is none."""
    record = find(tensor)
    if record is None:
        record = Record(tensor.dtype)
        setattr(tensor.untyped_storage(), NAME, record)
    return record


def shadow(tensor: torch.Tensor, precision: Precision = EXACT) -> torch.Tensor:
    """Return the values that the tensor would have if everything had been computed in that precision."""
    record = find(tensor)
    if record is None or record.wide is None:
        return precision.widened(tensor)
    return record.wide.as_strided(
        tensor.size(), tensor.stride(), tensor.storage_offset()
    )


def keep(
    tensor: torch.Tensor,
    wide: torch.Tensor,
    precision: Precision = EXACT,
    room: Room | None = None,
) -> Record | None:
    """Keep `wide` as the exact value of the tensor. Returns None if there is no memory for it."""
    record = made(tensor)
    if record.wide is None:
        if room is not None:
            record.lease = room.lease(tensor, precision.of(tensor.dtype))
            if record.lease is None:
                return None
        record.wide = _flat(tensor, wide, precision)
        if record.wide.data_ptr() == wide.data_ptr():
            return record
    if record.wide.dtype == torch.int64 != wide.dtype:
        record.wide = record.wide.double()
    view = record.wide.as_strided(
        tensor.size(), tensor.stride(), tensor.storage_offset()
    )
    view.copy_(wide)
    return record


def _flat(
    tensor: torch.Tensor, wide: torch.Tensor, precision: Precision
) -> torch.Tensor:
    """Return flat memory like the tensor's in the shadow's dtype: that of `wide` itself if its layout is the same."""
    count = tensor.untyped_storage().nbytes() // tensor.element_size()
    if tensor.numel() == count and wide.is_contiguous() and tensor.is_contiguous():
        flat = (
            wide if wide.dtype == torch.int64 else wide.to(precision.of(tensor.dtype))
        )
        flat = flat.reshape(-1)
        # strides count from where its memory begins
        return flat.clone() if flat.storage_offset() else flat
    whole = tensor.detach().as_strided((count,), (1,), 0)
    return precision.widened(whole)


def drop(tensor: torch.Tensor, precision: Precision = EXACT) -> None:
    """Treat the tensor's actual values as exact from now on."""
    record = find(tensor)
    if record is None or record.wide is None:
        return
    if tensor.numel() * tensor.element_size() == tensor.untyped_storage().nbytes():
        record.wide, record.lease, record.error = None, None, 0.0
        record.culprit = record.source = None
    else:
        keep(tensor, precision.widened(tensor), precision)
