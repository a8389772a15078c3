"""Processes that the program forks, by `multiprocessing` or itself: they go on on the machine, and tell what they show.

A process that would be started anew (`spawn`, `forkserver`) is forked, too: Python and torch would begin without the
machine there. Tensors travel between processes as what they are here: a dtype, a shape, a device, values where known.
"""

from __future__ import annotations

import os
from multiprocessing import context
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any

import torch

from ....core.event import Trace
from ....running.process.patching import Patch
from ...streamed import Seen, kept_log, opened_log, read_log
from .tensors import pickled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine

_ANEW = ("SpawnProcess", "ForkServerProcess")


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `os.fork`, the process start methods of `multiprocessing`, tensor pickling, and shared memory."""
    if hasattr(os, "fork"):
        children = _Children(vm, os.fork)
        yield Patch(os, "fork", children.fork)
        for name in _ANEW:
            yield Patch(getattr(context, name), "_Popen", staticmethod(children.anew))
    for kind in (torch.Tensor, torch.nn.Parameter):
        yield Patch(ForkingPickler._extra_reducers, kind, _reduced)  # type: ignore[attr-defined, arg-type] # a dict's key
    shared: set[int] = set()

    def share(self: torch.Tensor) -> torch.Tensor:
        shared.add(self.untyped_storage()._cdata)
        return self

    def is_shared(self: torch.Tensor) -> bool:
        return self.is_cuda or self.untyped_storage()._cdata in shared

    yield Patch(torch.Tensor, "share_memory_", share)
    yield Patch(torch.Tensor, "is_shared", is_shared)


def _reduced(tensor: torch.Tensor) -> Any:
    if tensor.requires_grad and not tensor.is_leaf:
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, since autograd does not support "
            "crossing process boundaries.  If you just want to transfer the data, call detach() on the tensor before "
            "serializing (e.g., putting it on the queue)."
        )
    return pickled(tensor)


class _Children:
    """A run's children."""

    def __init__(self, vm: VirtualMachine, fork: Callable[[], int]) -> None:
        """Start without children; `fork` is the system's."""
        self._vm, self._fork, self._owner, self._anew = vm, fork, os.getpid(), False

    def fork(self) -> int:
        """Return a child writes what it sees into a file without a name, which is read when all children have ended."""
        self._vm.saved.shared = True
        if os.getpid() != self._owner:  # a child's child writes where its parent does
            return self._alone()
        log = opened_log()
        pid = self._alone()
        if pid:
            # after the program's own exits
            self._vm.leaving.insert(0, lambda: self._joined(log))
            return pid
        kept_log(self._vm.recorder, log)
        self._vm.forked(anew=self._anew)
        return 0

    def _alone(self) -> int:
        """Fork. OpenMP's threads do not come along: what is computed by several would wait for them."""
        pid = self._fork()
        if pid == 0:
            torch.set_num_threads(1)
        return pid

    def anew(self, process: Any) -> Any:
        """Fork the process for `SpawnProcess._Popen`."""
        self._anew = True
        try:
            return context.ForkProcess._Popen(process)
        finally:
            self._anew = False

    def _joined(self, log: int) -> None:
        """Add the report of a child process to the recorder."""
        seen = Seen(Trace(machine=self._vm.machine.spec, torch=""))
        for header in read_log(log):
            seen.take(header)
        self._vm.recorder.join(seen.trace(None))
