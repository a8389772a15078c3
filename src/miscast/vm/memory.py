"""Counts the memory of virtual tensors per device: by storage, from the op that makes it to its end.

Views share a storage, and so does what autograd saves: each is counted once, and as long as anybody holds it. What it
is for shows by and by: a storage is an activation (in backward and in an optimizer's step a temporary) until it becomes
a parameter, a buffer, a gradient or an optimizer's state. Not seen: what a kernel needs within itself (cuDNN's
workspaces, a float32 copy in a reduction), the context of the driver, and what the allocator cannot use (fragments).
"""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import UntypedStorage
from torch.nn.parameter import is_lazy
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from ..core import event
from ..core.event import Violation
from ..running.torch_abi import graph_task, node_at_work
from .memory_ledger import (
    ACTIVATIONS,
    GRADIENTS,
    OPTIMIZER,
    PARAMETERS,
    TEMPORARIES,
    Account,
)
from .provenance.library_imports import AT_WORK, imports_library
from .provenance.module_paths import roots
from .provenance.origin import frames_of_run, locate, places, user_frames
from .provenance.record import (
    NAME as RECORD,
    TENSOR_TYPES,
    carrier,
    device_of,
    is_tensor,
)
from .wrapper_subclasses import parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from ..core.machines import Machine
    from ..numbers.ranges import Numerics
    from ..running.precision.observed import Observed
    from .judging.recorder import Recorder
    from .memory_ledger import Block
    from .schema import Plan

NAME = "_miscast_block"
_FINE = 10  # the line of a peak is read again when the peak rose by a 2**10th
_ADDED = frozenset({"add", "add_"})
_HANDED = _ADDED | {"detach", "clone", "empty_strided", "new_empty_strided"}
"""Ops with which `AccumulateGrad` makes a gradient (torch/csrc/autograd/functions/accumulate_grad.h)."""
_RESIZES = frozenset({"resize_", "resize_as_"})


class Memory:
    """The accounts of one run."""

    def __init__(
        self,
        recorder: Recorder,
        machine: Machine,
        observed: Observed,
        numerics: Numerics,
    ) -> None:
        """Start with empty devices. Gradients are reported to `observed` and `numerics`."""
        self._observed, self._numerics = observed, numerics
        self._recorder = recorder
        self._machine = machine
        self._accounts: dict[torch.device, Account] = {}
        self._stepping = False
        self._aside = 0
        self._boundless = False
        self._told: set[Account] = set()
        # is told of each kernel, with what it gave
        self.metered: Callable[[Plan, Any, Any, Any], object] = lambda *_: None
        self.device: torch.device | None = (
            None  # of the last op, for what has none of its own
        )

    def _clock(self) -> int:
        return self._recorder.ops

    def count(self, plan: Plan, out: Any) -> None:
        """Count the results of an op; those that autograd made without a device are on that of the last op."""
        if TENSOR_TYPES[type(out)]:
            self._count(plan, out)
        elif out.__class__ is tuple or out.__class__ is list:
            for one in out:
                if is_tensor(one):
                    self._count(plan, one)

    def _count(self, plan: Plan, tensor: torch.Tensor) -> None:
        storage = carrier(tensor)
        block = getattr(storage, NAME, None)
        if block is None:
            block = self.take(storage, plan.short)
        elif plan.short in _RESIZES:
            block.resize(storage.nbytes())
        if block is not None and plan.short in _HANDED and graph_task() != -1:
            node: Any = node_at_work()
            if type(node).__name__ == "AccumulateGrad":
                block.become(GRADIENTS)
                added = plan.short in _ADDED
                self._observed.gradient(node.variable, tensor, accumulated=added)
                training = self._numerics.training
                training.gradient(node.variable, tensor, accumulated=added)

    def hold(self, tensor: torch.Tensor) -> None:
        """Count a tensor that no op of the program made."""
        storage = carrier(tensor)
        if getattr(storage, NAME, None) is None:
            self.take(storage)

    def take(self, storage: Any, op: str = "") -> Block | None:
        """Count a storage that is not counted yet, on its record's device; None for what has no memory of its own."""
        device = self._device_of(storage)
        if (
            device is None
            or device.type == "meta"
            or storage.__class__ is not UntypedStorage
        ):
            return None
        account = self._accounts.get(device) or self.account(device)
        size = storage.nbytes()
        if account.capacity and account.passes(size) and account not in self._told:
            self._pass(account, device, op, size)
        block = account.take(size, self._kind())
        if (
            account.total == account.most
            and account.most - account.placed > account.placed >> _FINE
        ):
            account.place, account.placed = places()[0], account.most
        setattr(storage, NAME, block)
        return block

    def _device_of(self, storage: Any) -> torch.device | None:
        if self._aside or (AT_WORK and imports_library()):
            return None
        record = getattr(storage, RECORD, None)
        return (record.device if record is not None else None) or self.device

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Keep new tensors out of every device's account for the block: they are a file's content in this process."""
        self._aside += 1
        try:
            yield
        finally:
            self._aside -= 1

    def account(self, device: torch.device) -> Account:
        """Return the account of a device."""
        if device not in self._accounts:
            own = device.type == self._machine.device
            self._accounts[device] = (
                Account(block=1, clock=self._clock)
                if device.type == "cpu"
                else Account(
                    self._machine.memory * own * (not self._boundless),
                    clock=self._clock,
                )
            )
        return self._accounts[device]

    def _kind(self) -> int:
        """Return the likely use of a new storage; backward and optimizer steps run without grad mode."""
        if torch.is_grad_enabled() or not (self._stepping or graph_task() != -1):
            return ACTIVATIONS
        return TEMPORARIES

    def _pass(self, account: Account, device: torch.device, op: str, size: int) -> None:
        """Report once that the device is out of memory, or raise that if the program is prepared for it."""
        error = (
            f"CUDA out of memory. Tried to allocate {_amount(size)}. GPU {device.index} has a total capacity of "
            f"{_amount(account.capacity)}, {_amount(account.total)} is allocated by PyTorch."
        )
        violation = Violation(
            kind="memory",
            odd=(),
            expected=str(device),
            error=error,
            raises="OutOfMemoryError",
            value=_weights(sys._getframe(1)),
        )
        self._recorder.call(op, violation, ())
        self._told.add(account)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch optimizer steps within the block to learn which tensors are parameters, gradients and state."""
        hooks = [
            register_optimizer_step_pre_hook(lambda one, *_: self._before(one)),
            register_optimizer_step_post_hook(lambda one, *_: self._after(one)),
        ]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    def _before(self, optimizer: torch.optim.Optimizer) -> None:
        self._stepping = True
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                become(parameter, PARAMETERS)
                become(parameter.grad, GRADIENTS)

    def _after(self, optimizer: torch.optim.Optimizer) -> None:
        self._stepping = False
        for state in optimizer.state.values():
            for value in state.values() if isinstance(state, dict) else ():
                for one in value if isinstance(value, (list, tuple)) else (value,):
                    become(one, OPTIMIZER)

    def own(self, index: int) -> Account:
        """Return the account of a device of the machine's kind."""
        return self.account(device_of(f"{self._machine.device}:{index}"))

    def forget(self) -> None:
        """Reset the peaks of all devices."""
        for account in self._accounts.values():
            account.forget()

    def boundless(self) -> None:
        """Remove the memory limit of all devices, in order to measure how much is needed."""
        self._boundless = True
        for account in self._accounts.values():
            account.capacity = 0

    def held(self) -> tuple[tuple[int, ...], ...]:
        """Return the bytes that each device holds now, by what they are for."""
        return tuple(tuple(account.held) for account in self._accounts.values())

    def seen(self) -> tuple[event.Memory, ...]:
        """Return what each device that held anything held at its peak."""
        return tuple(
            event.Memory(
                device=str(device),
                capacity=a.capacity,
                peak=a.most,
                location=locate(a.place),
                course=tuple(a.course.samples(a.taken_at_peak, a.at_peak)),
                **a.peak(),
            )
            for device, a in sorted(
                self._accounts.items(), key=lambda item: str(item[0])
            )
            if a.most
        )


def become(tensor: Any, kind: int) -> None:
    """Set the kind of use of a tensor's memory, now that it is known."""
    if is_tensor(tensor) and not is_lazy(tensor):
        for part in parts(tensor):
            block = getattr(carrier(part), NAME, None)
            if block is not None:
                block.become(kind)


def _weights(frame: FrameType) -> str:
    """Return the dtype of most weights, by bytes, of the modules that are at work or in the program's variables."""
    at_work = [one.f_locals.get("self") for one in frames_of_run(frame)]
    modules = [
        *(one for one in at_work if isinstance(one, torch.nn.Module)),
        *dict(roots(user_frames(frame))).values(),
    ]
    weights = {id(one): one for module in modules for one in module.parameters()}
    sizes: Counter[str] = Counter()
    for one in weights.values():
        sizes[str(one.dtype)[6:]] += one.nbytes
    return sizes.most_common(1)[0][0] if sizes else ""


def _amount(size: int) -> str:
    """Return the size formatted as torch does (c10/cuda/CUDACachingAllocator.cpp, format_size)."""
    if size < 1 << 10:
        return f"{size} bytes"
    for unit, shift in (("KiB", 10), ("MiB", 20)):
        if size < 1 << shift + 10:
            return f"{size / (1 << shift):.2f} {unit}"
    return f"{size / (1 << 30):.2f} GiB"
