"""Ops that move numbers and change none: views, copies, casts, and those that put several tensors together."""

from __future__ import annotations

from dataclasses import replace

import torch

from ....core.moments import Moments, constant, mixed
from ..seen import Seen, moments_of

_SAME = (
    "view", "_unsafe_view", "reshape", "t", "transpose", "permute", "expand", "expand_as", "unsqueeze", "squeeze",
    "slice", "select", "clone", "detach", "alias", "contiguous", "split", "split_with_sizes", "chunk", "unbind",
    "repeat", "repeat_interleave", "flip", "roll", "index", "index_select", "gather", "take", "narrow", "flatten",
    "unflatten", "movedim", "swapaxes", "tile", "view_as", "reshape_as", "broadcast_to", "numpy_T",
    "adjoint", "diagonal", "unfold", "lift_fresh", "lift", "pixel_shuffle", "pixel_unshuffle", "msort",
    "upsample_nearest2d", "upsample_nearest1d", "upsample_nearest3d", "dropout_eval", "squeeze_", "mT", "unsafe_chunk",
)  # fmt: skip
_CLOSED = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool)


def _same(seen: Seen) -> Moments | None:
    return seen.moments("self")


def _cast(seen: Seen) -> Moments | None:
    """Return the unchanged value range; for integer dtypes, that of whole numbers."""
    x, dtype = seen.moments("self"), seen.dtype
    if x is None or dtype not in _CLOSED or x.whole:
        return x
    if dtype is torch.bool:
        return None
    cut = float(int(x.lo)) if abs(x.lo) < 1e15 else x.lo
    top = float(int(x.hi)) if abs(x.hi) < 1e15 else x.hi
    return replace(
        x, lo=cut, hi=top, mean=max(cut, min(top, x.mean)), whole=True, certain=False
    )


def _joined(seen: Seen) -> Moments | None:
    tensors = seen.given.get("tensors")
    if not isinstance(tensors, (list, tuple)) or not tensors:
        return None
    parts = []
    whole = sum(one.numel() for one in tensors)
    for one in tensors:
        found = moments_of(one)
        if found is None or not whole:
            return None
        parts.append((found, one.numel() / whole))
    return mixed(parts)


def _embedding(seen: Seen) -> Moments | None:
    return seen.moments("weight")


def _padded(seen: Seen) -> Moments | None:
    x = seen.moments("self")
    value = seen.number("value")
    if x is None:
        return None
    return mixed([(x, 0.9), (constant(value or 0.0), 0.1)])


def _copied(seen: Seen) -> Moments | None:
    """Return the value range of the written numbers; for a part of a storage, mixed with the previous range."""
    target = seen.tensor("self")
    source = seen.moments("src" if "src" in seen.given else "value")
    if target is None or source is None:
        return None
    size = target.untyped_storage().nbytes() // max(target.dtype.itemsize, 1)
    share = target.numel() / size if size else 1.0
    if share >= 1.0:
        return source
    before = seen.was
    return None if before is None else mixed([(source, share), (before, 1.0 - share)])


RULES = {
    **dict.fromkeys(_SAME, _same),
    "to": _cast,
    "_to_copy": _cast,
    "cat": _joined,
    "concat": _joined,
    "stack": _joined,
    "embedding": _embedding,
    "constant_pad_nd": _padded,
    "copy": _copied,
    "fill": _copied,
}
