"""Attention whose kernels the program chose itself, as `sdpa_kernel(SDPBackend.FLASH_ATTENTION)` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ...core.event import Violation

if TYPE_CHECKING:
    from ..call import Call

_HALVES = (torch.float16, torch.bfloat16)


def without_kernel(call: Call) -> tuple[Violation, ...]:
    """Return the violation of attention on CUDA if all enabled kernels take float16 or bfloat16 only.

    As ATen/native/transformers/cuda/sdp_utils.cpp chooses; what else its kernels ask of shapes and masks is not held.
    """
    if call.device is None or call.device.type != "cuda" or not call.is_attention:
        return ()
    dtype, cuda = call.dtypes[0], torch.backends.cuda
    efficient = cuda.mem_efficient_sdp_enabled() and dtype is torch.float32
    if dtype in _HALVES or efficient or cuda.math_sdp_enabled():
        return ()
    error = "No available kernel. Aborting execution."
    return (
        Violation(kind="unsupported", odd=("query",), expected="bfloat16", error=error),
    )
