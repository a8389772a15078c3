"""The values that a collective moves, where they are known: from records to bytes, and from bytes into records."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

import torch

from ...running.torch_abi import TensorBase
from ..key import KEYSET, Exclude
from ..provenance import factories
from ..provenance.record import find, view_of
from ..values.known_storage import recorded, written
from ..virtualize import is_plain, most, realize
from .world import Brought, dtype_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .collective_buffers import BufferMove

_JOINED: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "SUM": torch.add, "AVG": torch.add, "PRODUCT": torch.mul, "MIN": torch.minimum, "MAX": torch.maximum,
    "BAND": torch.bitwise_and, "BOR": torch.bitwise_or, "BXOR": torch.bitwise_xor,
}  # fmt: skip


def given(tensors: Sequence[torch.Tensor | None]) -> tuple[bytes | None, bool]:
    """Return the bytes that a rank sends (None if one is unknown or there are too many), and if any are placeholders.

    A tensor that goes to everybody is there once.
    """
    parts = _distinct([t for t in tensors if t is not None])
    if sum(t.numel() / most(t.dtype) for t in parts) > 1:
        return None, False
    with Exclude(KEYSET):
        known = [real for t in parts if (real := realize(t.detach())) is not None]
        if len(known) < len(parts):
            return None, False
        return b"".join(map(_bytes, known)), any(recorded(t).assumed for t in parts)


def _distinct(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    return tensors[:1] if all(t is tensors[0] for t in tensors) else tensors


def put(deal: BufferMove, me: int, brought: Sequence[Brought] | None) -> None:
    """Put what the other ranks sent into the program's tensors; mark these unknown if a value is.

    What has another dtype was told of, and is cast, as a correct program would have sent it.
    """
    places = [(i, t) for i, t in enumerate(deal.gets) if t is not None]
    with Exclude(KEYSET):
        parts = _parts([i for i, _ in places], me, brought)
        if parts is None:
            for _, target in places:
                written(target, find(target))
            return
        assumed = any(one.assumed for one in brought or ())
        if deal.reduce:
            target = places[0][1]
            _write(target, _joined(deal.reduce, target.dtype, parts), assumed=assumed)
            return
        for (_, target), part in zip(places, parts, strict=True):
            _write(target, part, assumed=assumed)


def _parts(
    senders: Sequence[int], me: int, brought: Sequence[Brought] | None
) -> list[torch.Tensor] | None:
    """Return what these members send to this rank; None if nobody does, or some of it is unknown."""
    if brought is None or not senders:
        return None
    known = [part for i in senders if (part := _part(brought[i], me)) is not None]
    return known if len(known) == len(senders) else None


def _bytes(tensor: torch.Tensor) -> bytes:
    # Below the patched `Tensor.numpy`, which serves the program.
    flat = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
    data: bytes = TensorBase.numpy(flat).tobytes()
    return data


def _part(one: Brought, me: int) -> torch.Tensor | None:
    """Return what a member sends to this rank, flat."""
    if one.data is None or not one.sends:
        return None
    dtype = dtype_of(one.dtype)
    flat = (
        torch.frombuffer(bytearray(one.data), dtype=dtype)
        if one.data
        else factories.empty(0, dtype=dtype)
    )
    count = one.sends[me]
    if flat.numel() == count:
        return flat
    start = sum(one.sends[:me])
    return flat[start : start + count] if start + count <= flat.numel() else None


def _joined(
    name: str, dtype: torch.dtype, parts: Sequence[torch.Tensor]
) -> torch.Tensor | None:
    join = _JOINED.get(name)
    if join is None or len({p.numel() for p in parts}) > 1:
        return None
    total = reduce(join, (p.to(dtype) for p in parts))
    return total / len(parts) if name == "AVG" and total.is_floating_point() else total


def _write(target: torch.Tensor, part: torch.Tensor | None, *, assumed: bool) -> None:
    record = find(target)
    if record is None or not is_plain(target):
        return
    if part is None or part.numel() != target.numel():
        written(target, record)
        return
    storage = target.untyped_storage()
    if record.twin is None:
        if storage.nbytes() > most(target.dtype) * target.itemsize:
            return
        record.twin = torch.UntypedStorage(storage.nbytes())
    view_of(record.twin, target.detach()).copy_(part.view(target.shape))
    record.assumed = assumed or record.assumed
