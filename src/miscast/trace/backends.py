"""Which devices' memory a backend of torch.distributed moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..event import Violation
from .record import Record, find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .vm import VirtualMachine

_HOLDS = {"nccl": ("cuda",), "hccl": ("npu",), "gloo": ("cpu", "cuda"), "mpi": ("cpu", "cuda")}


def placed(vm: VirtualMachine, name: str, backend: str, tensors: Sequence[torch.Tensor]) -> None:
    """A backend moves the memory of some devices only: told of the first tensor that is elsewhere."""
    holds = _HOLDS.get(backend)
    for tensor in tensors if holds else ():
        record = find(tensor) or Record(tensor.device, None, None)
        if record.device is not None and record.device.type not in (*(holds or ()), "meta"):
            error = f"No backend type associated with device type {record.device.type}"
            expected = str(vm.indexed(torch.device((holds or ("cpu",))[0])))
            violation = Violation(kind="device", odd=("tensor",), expected=expected, error=error)
            vm.recorder.call(name, violation, [("tensor", tensor, record)])
            return
