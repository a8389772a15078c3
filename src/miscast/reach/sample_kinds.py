"""Samples of a data set that differ in kind: a mask that only some images have, an image of four channels, no caption.

Their kind is what a batch is made of: dtypes, devices, numbers of dimensions, keys, types, whether there is anything.
In a fork the first samples of a data set are loaded for it, and a loop over its loader goes on with a batch of each
kind, and one of all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import islice
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset

from ..provenance.on_behalf import theirs
from ..provenance.record import find

_KINDS = 4
_ALIKE = 2
"""So many of a kind make its batch."""


def has_samples(loader: DataLoader[Any]) -> bool:
    """Whether a loader makes batches of single samples."""
    return loader.batch_sampler is not None


def batches_by_kind(loader: DataLoader[Any], most: int) -> list[list[Any]]:
    """The samples of each batch, of the first `most` that the loader draws; none where all are of one kind."""
    by_kind: dict[Hashable, list[Any]] = {}
    for sample in islice(drawn(loader), most):
        by_kind.setdefault(_kind(sample), []).append(sample)
    if len(by_kind) < 2:
        return []
    kinds = list(by_kind.values())[:_KINDS]
    return [*(kind[:_ALIKE] for kind in kinds), [kind[0] for kind in kinds]]


def drawn(loader: DataLoader[Any]) -> Iterator[Any]:
    """The samples of a loader's data set, in its order."""
    if isinstance(loader.dataset, IterableDataset):
        samples, end = theirs(iter, loader.dataset), object()
        while (sample := theirs(next, samples, end)) is not end:
            yield sample
        return
    for batch in loader.batch_sampler or ():
        for index in batch:
            yield theirs(loader.dataset.__getitem__, index)


def _kind(sample: Any) -> Hashable:
    if isinstance(sample, torch.Tensor):
        record = find(sample)
        device = sample.device if record is None else record.device
        return str(sample.dtype), str(device), sample.ndim, sample.numel() > 0
    if isinstance(sample, Mapping):
        return tuple((str(key), _kind(value)) for key, value in sample.items())
    if isinstance(sample, (list, tuple)):
        return type(sample).__name__, *dict.fromkeys(map(_kind, sample))
    kind = type(sample).__name__
    if isinstance(sample, (str, bytes)):
        return kind, bool(sample)
    details = (getattr(sample, name, "") for name in ("dtype", "ndim", "mode"))
    return kind, *map(str, details)
