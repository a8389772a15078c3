"""Grouping by device, which torch does in C++ where all is `meta`, and the scaler's refusal of half gradients."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.amp import GradScaler
from torch.utils import _foreach_utils

from ....running.process.patching import Patch, around
from ...provenance.origin import Origin, places
from ...provenance.record import find, is_tensor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Yield the grouping of foreach and fused optimizers, and what a scaler says of its gradients and of its maker."""
    yield Patch(_foreach_utils, "_group_tensors_by_device_and_dtype", _group)
    follow = "_process_value_according_to_param_policy"
    if hasattr(torch.optim.Optimizer, follow):
        patch = around(torch.optim.Optimizer, follow, _following)
        yield patch._replace(value=staticmethod(patch.value))
    yield around(GradScaler, "_unscale_grads_", _unscale, vm)
    yield around(GradScaler, "__init__", _made, vm)


def _following(
    original: Any, param: torch.Tensor, value: Any, *args: Any, **kwargs: Any
) -> Any:
    """Put a loaded state on its parameter's device, whatever device the file's loader chose."""
    out = original(param, value, *args, **kwargs)
    own, record = find(param), find(out) if is_tensor(out) else None
    if own is not None and record is not None and record.device == own.device:
        record.device_origin = Origin(
            "moved", "Optimizer.load_state_dict", out.dtype, own.device, places()
        )
    return out


def _group(lists: list[list[Any]], with_indices: bool = False) -> dict[Any, Any]:
    """Group as torch does: by device and dtype of the first list; None is left out."""
    groups: dict[tuple[Any, Any], tuple[list[list[Any]], list[int]]] = {}
    for i, first in enumerate(lists[0]):
        key = (first.device, first.dtype)
        group = groups.setdefault(key, ([[] for _ in lists], []))
        for column, tensors in zip(group[0], lists, strict=False):
            if tensors:
                column.append(tensors[i])
        if with_indices:
            group[1].append(i)
    return groups


def _made(
    vm: VirtualMachine, original: Any, self: GradScaler, *args: Any, **kwargs: Any
) -> None:
    original(self, *args, **kwargs)
    vm.numerics.training.scaler(self, places()[0])
    # one that is off knows of no optimizers
    if self.is_enabled():
        vm.observed.scaler(self, places()[0])


def _unscale(  # noqa: PLR0913 - torch's signature
    vm: VirtualMachine,
    original: Any,
    self: GradScaler,
    optimizer: Any,
    inv_scale: Any,
    found_inf: Any,
    allow_fp16: bool,
) -> Any:
    """Record `Attempting to unscale FP16 gradients.`, and continue the step."""
    params = [p for group in optimizer.param_groups for p in group["params"]]
    halves = (p for p in params if p.grad is not None and p.grad.dtype is torch.float16)
    half = next(halves, None)
    if half is not None and not allow_fp16 and find(half) is not None:
        vm.recorder.refused(
            "GradScaler.unscale_",
            "param",
            {"param": half},
            "float32",
            "Attempting to unscale FP16 gradients.",
            kind="forbidden",
            raises="ValueError",
        )
    return original(self, optimizer, inv_scale, found_inf, allow_fp16=True)
