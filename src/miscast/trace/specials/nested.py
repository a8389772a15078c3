"""Nested tensors of the strided layout cannot be data-less: they are real, of zeros, and counted as unchecked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..record import Record, attach, device_of

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..plan import Plan


def from_list(d: Dispatcher, plan: Plan, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """`torch.nested.nested_tensor([...])`."""
    d.recorder.unchecked(plan.name)
    parts = args[0]
    dtype = kwargs.get("dtype") or parts[0].dtype
    device = d.indexed(kwargs["device"]) if kwargs.get("device") is not None else device_of("cpu")
    out = plan.op([torch.zeros(tuple(t.shape), dtype=dtype) for t in parts])
    attach(out, Record(device, None, None))
    return out


SPECIALS = {"_nested_tensor_from_tensor_list": from_list}
