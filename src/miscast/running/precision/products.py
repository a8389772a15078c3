"""Ops with a model's arithmetic and their library: matrix products, convolutions and attention."""

from __future__ import annotations

import sys
from functools import cache

import torch

from ...core.dtypes import facts

PRODUCTS: dict[str, str] = {
    **dict.fromkeys((
        "mm", "bmm", "addmm", "baddbmm", "addbmm", "matmul", "linear", "mv", "addmv",
        "dot", "bilinear", "einsum", "chain_matmul", "linalg_multi_dot", "tensordot",
        "inner", "_trilinear", "_scaled_mm", "_int_mm", "_grouped_mm", "_scaled_grouped_mm",
        "_weight_int8pack_mm", "lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell",
        "rnn_tanh_cell", "rnn_relu_cell",
    ), "matmul"),
    **dict.fromkeys((
        "convolution", "_convolution", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
        "conv_transpose2d", "conv_transpose3d", "conv_tbc",
    ), "conv"),
    "scaled_dot_product_attention": "attention",
}  # fmt: skip
"""The ops that hold most of a model's arithmetic, by kind."""
BATCHED = frozenset({"bmm", "baddbmm", "matmul"})
SOFTMAX = frozenset({"softmax", "_softmax"})
_FRAMES = 12
_STAND_INS = {
    "miscast.vm.substitutes.flash_attn": "flash_attention_2",
    "miscast.vm.substitutes.xformers": "xformers",
    "miscast.vm.substitutes.transformer_engine": "transformer_engine",
    "miscast.vm.torch_api.patches.higher_order": "flex_attention",
}
"""Attention that is made of torch's own here, by what stands in for it."""


@cache
def widest(dtypes: tuple[torch.dtype, ...]) -> torch.dtype | None:
    """Return the widest floating dtype; None if there is none."""
    floating = [dtype for dtype in dtypes if dtype.is_floating_point]
    return max(
        floating, key=lambda one: (one.itemsize, facts(str(one)[6:]).max), default=None
    )


def kernel() -> str:
    """Return the library whose attention calls torch's."""
    frame = sys._getframe(2)
    for _ in range(_FRAMES):
        if found := _STAND_INS.get(frame.f_globals.get("__name__", "")):
            return found
        if frame.f_back is None:
            break
        frame = frame.f_back
    return "sdpa"
