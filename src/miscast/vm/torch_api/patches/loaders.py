"""Data loaders: workers in the same process, a few batches."""

from __future__ import annotations

import ast
import multiprocessing
import sys
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, WeakSet

from torch.utils.data import DataLoader

from ....core.syntax import last_name
from ....running.process.patching import Patch
from ....running.torch_abi import tree_leaves
from ...judging.caught_errors import caught
from ...provenance.on_behalf import theirs
from ...provenance.origin import USER, Origin, kind_of, places
from ...provenance.record import find, is_tensor
from ...values.asked_expression import Sources, asking_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine

_IN_PROCESS = {"num_workers": 0, "persistent_workers": False, "timeout": 0}
_NONE: Any = object()
_FEW = 2
"""A loader of at most so many times the batches that are wanted is not cut: what reads it whole often looks at it."""


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `iter(loader)`, and `len(loader)` in its loop: `if step == len(loader) - 1` is true of the last batch."""
    loops: WeakKeyDictionary[DataLoader[Any], WeakSet[_Loop]] = WeakKeyDictionary()

    def length(self: DataLoader[Any]) -> int:
        whole: int = theirs(original_length, self)
        begun = any(loop.begun for loop in loops.get(self, ()))
        return vm.batches if begun and _is_cut(vm, whole) else whole

    def iterate(self: DataLoader[Any]) -> Iterator[Any]:
        # past its __setattr__, which refuses changes
        own: dict[str, Any] = self.__dict__
        kept = {name: own[name] for name in _IN_PROCESS if name in own}
        batches: Iterator[Any]
        try:
            own.update({name: _IN_PROCESS[name] for name in kept})
            batches = theirs(original, self)
        finally:
            own.update(kept)
        if kept.get("num_workers"):
            vm.recorder.note("data loader workers ran in the same process")
            batches = _in_workers(vm, batches) if _forks(vm, self) else batches
        loop = _Loop(_cut(vm, self, batches, original_length, asks_on))
        loops.setdefault(self, WeakSet()).add(loop)
        return loop

    asks_on = partial(_asks_on, Sources())
    original, original_length = DataLoader.__iter__, DataLoader.__len__
    yield Patch(DataLoader, "__iter__", iterate)
    yield Patch(DataLoader, "__len__", length)


class _Loop:
    """The iterator of a loop, there as long as somebody holds it: accelerate reads a batch ahead, to know the last."""

    def __init__(self, batches: Iterator[Any]) -> None:
        self._batches = batches
        self.begun = False

    def __iter__(self) -> _Loop:
        return self

    def __next__(self) -> Any:
        self.begun = True
        return theirs(next, self._batches)


def _forks(vm: VirtualMachine, loader: DataLoader[Any]) -> bool:
    """Check whether the workers of a loader are forks, which cannot use devices that are in use already."""
    of_loader: Any = loader.multiprocessing_context or multiprocessing
    method = of_loader.get_start_method(allow_none=True)
    forks = (method or multiprocessing.get_all_start_methods()[0]) == "fork"
    return forks and vm.devices.initialized


def _in_workers(vm: VirtualMachine, batches: Iterator[Any]) -> Iterator[Any]:
    while True:
        with vm.in_worker():
            batch = theirs(next, batches, _NONE)
        if batch is _NONE:
            return
        yield batch


def _cut(
    vm: VirtualMachine,
    loader: DataLoader[Any],
    batches: Iterator[Any],
    length: Callable[[Any], int],
    asks_on: Callable[[], bool],
) -> Iterator[Any]:
    try:
        cut = _is_cut(vm, theirs(length, loader))
    except TypeError:
        cut = True  # an iterable data set does not tell; it is not asked for a batch that nobody wants
    had = 0
    for number in count(1):
        batch = theirs(next, batches, _NONE)
        if batch is _NONE:
            break
        had = number
        _received(batch)
        yield batch
        if cut and number >= vm.batches and not asks_on():
            vm.recorder.note(
                f"data loaders were limited to {vm.batches} batches (--batches)"
            )
            break
    for batch in vm.smaller_batches(loader, had) if had else ():
        _received(batch)
        yield batch


def _asks_on(sources: Sources) -> bool:
    """Check whether the program calls `next(batches)` itself, and does not handle the end of the loader.

    So it does where the loader has no end, or more than the steps that it is asked for: there an end is an error.
    """
    frame = asking_frame(sys._getframe(1))
    if frame is None or kind_of(frame.f_code) != USER:
        return False
    _, node = sources.node(frame) or (None, None)
    return (
        isinstance(node, ast.Call)
        and len(node.args) <= 1
        and last_name(node.func) in ("next", "__next__")
        and not caught(frame, StopIteration)
    )


def _is_cut(vm: VirtualMachine, whole: int) -> bool:
    return whole > _FEW * vm.batches


def _received(batch: Any) -> None:
    """Set the device origin of a batch to the loader, whatever code of the data set made its tensors."""
    for tensor in tree_leaves(batch):
        record = find(tensor) if is_tensor(tensor) else None
        if record is not None:
            record.device_origin = Origin(
                "loaded", "DataLoader", tensor.dtype, record.device, places()
            )
