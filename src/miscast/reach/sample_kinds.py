"""Samples of a data set that differ in kind: a mask that only some images have, an image of four channels, no caption.

Their kind is what a batch is made of: dtypes, numbers of dimensions, keys, types. In a fork the first samples of a data
set are loaded for it, and a loop over its loader goes on with a batch of each kind, and one of all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from itertools import islice
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset

from ..provenance.on_behalf import theirs

_LOADED = 64
_KINDS = 4
_ALIKE = 2
"""So many of a kind make its batch."""


def has_samples(loader: DataLoader[Any]) -> bool:
    """Whether single samples of a loader's data set can be asked for."""
    return loader.batch_sampler is not None and not isinstance(
        loader.dataset, IterableDataset
    )


def batches_by_kind(loader: DataLoader[Any]) -> list[list[Any]]:
    """The samples of each batch; none where all are of one kind."""
    by_kind: dict[Hashable, list[Any]] = {}
    for sample in _first(loader):
        by_kind.setdefault(_kind(sample), []).append(sample)
    if len(by_kind) < 2:
        return []
    kinds = list(by_kind.values())[:_KINDS]
    return [*(kind[:_ALIKE] for kind in kinds), [kind[0] for kind in kinds]]


def _first(loader: DataLoader[Any]) -> Iterator[Any]:
    indices = (index for batch in loader.batch_sampler or () for index in batch)
    for index in islice(indices, _LOADED):
        yield theirs(loader.dataset.__getitem__, index)


def _kind(sample: Any) -> Hashable:
    if isinstance(sample, torch.Tensor):
        return str(sample.dtype), sample.ndim
    if isinstance(sample, Mapping):
        return tuple((str(key), _kind(value)) for key, value in sample.items())
    if isinstance(sample, (list, tuple)):
        return type(sample).__name__, *dict.fromkeys(map(_kind, sample))
    kind = type(sample).__name__
    if isinstance(sample, (str, bytes)):
        return kind, bool(sample)
    return kind, str(getattr(sample, "dtype", "")), str(getattr(sample, "mode", ""))
