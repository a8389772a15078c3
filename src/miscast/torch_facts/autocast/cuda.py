"""Autocast on cuda (ROCm too): ATen/autocast_mode.cpp, `TORCH_LIBRARY_IMPL(aten, Autocast)`, 119 ops in torch 2.13."""

from __future__ import annotations

from collections.abc import Mapping

from . import accelerator
from .policy import VISION, Policy

POLICIES: Mapping[Policy, str] = {
    "lower_precision": accelerator.LOWER_PRECISION + "cudnn_convolution cudnn_convolution_transpose",
    "float32": accelerator.FLOAT32 + "linalg_matrix_sqrth",
    "float32_set_opt_dtype": accelerator.SET_OPT_DTYPE + accelerator.NAMED,
    "float32_append_dtype": f"{accelerator.APPEND_DTYPE} {accelerator.NAMED_APPEND_DTYPE}",
    "float32_and_back": f"{VISION} torchvision::roi_pool torchvision::ps_roi_align torchvision::ps_roi_pool "
    "torchvision::deform_conv2d",
    "promote": accelerator.PROMOTE,
    "forbidden": accelerator.FORBIDDEN,
}
KERNELS: Mapping[Policy, str] = {"lower_precision": accelerator.RECURRENT + "_cudnn_rnn"}
SINCE = {**accelerator.SINCE, "linalg_matrix_sqrth": (2, 14)}
UNTIL = accelerator.UNTIL
