"""Autocast on xpu: ATen/autocast_mode.cpp, `TORCH_LIBRARY_IMPL(aten, AutocastXPU)`, torch 2.13: 117 ops."""

from __future__ import annotations

from collections.abc import Mapping

from . import accelerator
from .policy import VISION, Policy

POLICIES: Mapping[Policy, str] = {
    "lower_precision": accelerator.LOWER_PRECISION,
    "float32": accelerator.FLOAT32,
    "float32_set_opt_dtype": accelerator.SET_OPT_DTYPE + accelerator.NAMED,
    "float32_append_dtype": f"{accelerator.APPEND_DTYPE} {accelerator.NAMED_APPEND_DTYPE}",
    "float32_and_back": VISION,
    "promote": accelerator.PROMOTE,
    "forbidden": accelerator.FORBIDDEN,
}
KERNELS: Mapping[Policy, str] = {"lower_precision": accelerator.RECURRENT}
SINCE = accelerator.SINCE
UNTIL = accelerator.UNTIL
