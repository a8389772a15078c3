"""Samples of a data set that differ in kind: a mask that only some images have, an image of four channels, no caption.

Their kind is what a batch is made of: dtypes, devices, numbers of dimensions, keys, types, whether there is anything.
In a fork the first samples of a data set are loaded for it, and a loop over its loader goes on with a batch of each
kind, and one of all of them: of those that the loader may make, and which the run did not have.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import islice
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset, SequentialSampler

from ..provenance.on_behalf import theirs
from ..provenance.record import find

_KINDS = 4
_ALIKE = 2
"""So many of a kind make its batch."""


def batches_by_kind(loader: DataLoader[Any], most: int, had: int) -> list[list[Any]]:
    """Return the samples of each batch, of the first `most` that the loader draws; none where all are of one kind.

    The run `had` so many of its batches.
    """
    by_kind: dict[Hashable, list[Any]] = {}
    order: list[Hashable] = []
    for sample in islice(drawn(loader), most):
        order.append(_kind(sample))
        by_kind.setdefault(order[-1], []).append(sample)
    if len(by_kind) < 2:
        return []
    size = loader.batch_size or _KINDS
    known = _together(order, size, had) if _draws_the_same(loader) else set()
    kinds = list(by_kind)[:_KINDS]
    batches = [(frozenset({one}), by_kind[one][: min(_ALIKE, size)]) for one in kinds]
    if size > 1:
        mixed = kinds[:size]
        batches.append((frozenset(mixed), [by_kind[one][0] for one in mixed]))
    return [samples for together, samples in batches if together not in known]


def _draws_the_same(loader: DataLoader[Any]) -> bool:
    """Check whether it draws the same samples again in the same order."""
    streams = isinstance(loader.dataset, IterableDataset)
    return streams or type(loader.sampler) is SequentialSampler


def _together(order: list[Hashable], size: int, had: int) -> set[frozenset[Hashable]]:
    """Return the kinds that were in a batch together, in each of the first ones."""
    begins = range(0, size * had, size)
    return {frozenset(order[begin : begin + size]) for begin in begins}


def drawn(loader: DataLoader[Any]) -> Iterator[Any]:
    """Yield the samples of a loader's data set, in its order."""
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
