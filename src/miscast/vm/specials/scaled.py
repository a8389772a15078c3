"""Scaled products of float8 and float4: GPUs before Ada, and AMD's before MI300, have no kernel for any dtype."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..call import Call
from .other_dtypes import judged

if TYPE_CHECKING:
    from ..dispatch import Dispatcher
    from ..schema import Args, Kwargs, Plan

_ADA, _MI300 = (8, 9), (9, 4)
# aten/src/ATen/native/cuda/ScaledBlas.cpp, _scaled_mm_allowed_device
_ERROR = "torch._scaled_mm is only supported on CUDA devices with compute capability >= 9.0 or 8.9, or ROCm MI300+"
_FLOAT4 = getattr(torch, "float4_e2m1fn_x2", None)


def scaled(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Report that such a GPU refuses the op, then run it as on a newer one."""
    call = Call(plan, args, kwargs)
    machine = d.vm.machine
    first = _MI300 if machine.hip else _ADA
    if (
        call.device is not None
        and call.device.type == "cuda"
        and (machine.capability or first) < first
    ):
        operands = {name: tensor for name, tensor, _ in call.named()}
        odd = next(iter(operands))
        d.recorder.refused(
            plan.short, odd, operands, "bfloat16", _ERROR, kind="unsupported"
        )
    given = dict(zip(plan.names, args, strict=False)) | kwargs

    def product(self: torch.Tensor, mat2: torch.Tensor, *_: Any, **__: Any) -> Any:
        dtype = given.get("out_dtype") or self.dtype
        return self.new_empty((self.shape[0], mat2.shape[1]), dtype=dtype)

    # the meta kernel counts the scales of two packed numbers as those of one (torch 2.13, MX); the device's does not
    packed = given["self"].dtype is _FLOAT4
    return judged(d, plan, args, kwargs, product if packed else plan.op)


SPECIALS = {"_scaled_mm": scaled, "_scaled_mm_v2": scaled}
