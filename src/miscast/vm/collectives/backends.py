"""The devices whose memory a backend of torch.distributed moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ...core.event import Violation
from ..provenance.record import Record, find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..machine import VirtualMachine

NATIVE = {"cuda": "nccl", "npu": "hccl", "xpu": "xccl"}
"""The backend of a kind of device."""
_HOLDS = {
    "nccl": ("cuda",), "hccl": ("npu",), "xccl": ("xpu",), "gloo": ("cpu", "cuda"), "mpi": ("cpu", "cuda"),
}  # fmt: skip


def checked(
    vm: VirtualMachine, op: str, backend: str, tensors: Sequence[torch.Tensor]
) -> None:
    """Record calls that torch or the backend refuses on this rank alone: differing dtypes, or memory it cannot move.

    A tensor on the wrong device is told of and stays where it is.
    """
    first = tensors[0] if tensors else None
    other = next(
        (t for t in tensors if first is not None and t.dtype is not first.dtype), None
    )
    if first is not None and other is not None:
        operands = {"input": first, "output": other}
        text = f"Invalid usage of tensors with different dtypesFound {first.dtype} and  {other.dtype}"
        expected = str(first.dtype)[6:]
        vm.recorder.refused(
            op, "output", operands, expected, text, like="input", raises="ValueError"
        )
    _check_placed(vm, op, _HOLDS.get(backend, ()), tensors)


def _check_placed(
    vm: VirtualMachine, op: str, holds: Sequence[str], tensors: Sequence[torch.Tensor]
) -> None:
    """Record the first tensor on a device whose memory the backend cannot move."""
    for tensor in tensors if holds else ():
        record = find(tensor) or Record(tensor.device, None, None)
        if record.device is not None and record.device.type not in (*holds, "meta"):
            error = f"No backend type associated with device type {record.device.type}"
            expected = str(vm.indexed(torch.device(holds[0])))
            violation = Violation(
                kind="device", odd=("tensor",), expected=expected, error=error
            )
            vm.recorder.call(op, violation, [("tensor", tensor, record)])
            return
