"""Explore later batches of a data loader: a smaller last one, a single sample, none, other samples.

A loader is cut to a few batches, and the last one of real data is of any size. In a fork the loop goes on with
batches that the loader's own `collate_fn` makes of fewer samples.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from types import FrameType
from typing import TYPE_CHECKING, Any

from torch.utils.data import BatchSampler, DataLoader

from ...core.event import EACH_KIND, ConditionKind
from ...core.failure import Failures
from ..provenance.on_behalf import theirs
from ..provenance.origin import USER, kind_of
from .sample_kinds import batches_by_kind, drawn
from .sides import Branch, Side

if TYPE_CHECKING:
    from .ways import Ways

_KIND: ConditionKind = "counter"


class LoaderEnds:
    """The loader loops of one run."""

    def __init__(self, ways: Ways, failures: Failures, samples: int) -> None:
        """Start with the number of samples of a data set that are looked at."""
        self._ways, self._failures, self._samples = ways, failures, samples
        self._known: set[tuple[str, int]] = set()

    def __call__(self, loader: DataLoader[Any], had: int) -> Iterable[Any]:
        """Return further batches in a fork that is made here; none in the run, which `had` so many."""
        with self._failures.during("it explored the end of a data loader"):
            frame = _users(sys._getframe(1))
            if frame is not None:
                return self._more(loader, had, frame)
        return ()

    def _more(
        self, loader: DataLoader[Any], had: int, frame: FrameType
    ) -> Iterable[Any]:
        place = (frame.f_code.co_filename, frame.f_lineno)
        loop = self._ways.loop_at(*place)
        if loop is None or place in self._known:
            return ()
        self._known.add(place)
        sizes = _sizes(loader)
        if sizes and self._forked(_text(sizes), loop, frame):
            return _made(loader, sizes)
        of_samples = self._samples and loader.batch_sampler is not None
        if of_samples and self._forked(EACH_KIND, loop, frame):
            return self._of_each_kind(loader, had)
        return ()

    def _forked(self, text: str, loop: Side, frame: FrameType) -> bool:
        """Check whether this is the fork, which goes through the loop once more."""
        branch = Branch(
            file=frame.f_code.co_filename,
            line=frame.f_lineno,
            text=text,
            kind=_KIND,
            sides=(None, replace(loop, first=loop.lead, matters=False, outlives=False)),
        )
        return self._ways.forked(branch, frame)

    def _of_each_kind(self, loader: DataLoader[Any], had: int) -> Iterator[Any]:
        batches = batches_by_kind(loader, self._samples, had)
        if not batches:
            self._ways.in_vain()
        for samples in batches:
            yield theirs(loader.collate_fn, samples)


def _sizes(loader: DataLoader[Any]) -> list[int]:
    """Return the sizes of batches that the loader may come to and did not; none where all are of one size."""
    sampler = loader.batch_sampler
    if type(sampler) is not BatchSampler or sampler.drop_last or sampler.batch_size < 2:
        return []
    try:
        last = theirs(len, sampler.sampler) % sampler.batch_size
    except TypeError:  # it does not tell
        last = 0
    return [*([last] if last > 1 else []), 1, 0]


def _text(sizes: list[int]) -> str:
    last, *rest = sizes[:-1]
    return f"batch of {last}" + "".join(f", then {one}" for one in rest)


def _made(loader: DataLoader[Any], sizes: list[int]) -> Iterator[Any]:
    samples = list(islice(drawn(loader), max(sizes)))
    batch: Any = None
    for size in sizes:
        if size:
            batch = theirs(loader.collate_fn, samples[:size])
            yield batch
            continue
        try:
            empty = theirs(loader.collate_fn, [])
        except Exception:  # noqa: BLE001 - the loader makes none
            return
        if _parts(empty) == _parts(batch):  # `zip(*samples)` makes nothing of nothing
            yield empty


def _parts(batch: Any) -> int:
    return len(batch) if isinstance(batch, (tuple, dict)) else 0


def _users(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame of the program's own."""
    while frame is not None and kind_of(frame.f_code) != USER:
        frame = frame.f_back
    return frame
