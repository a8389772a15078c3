"""torch_npu's own ops, of torch's: shapes and dtypes of results as in op-plugin's documentation (docs/context).

Those that libraries and trainers call. Of what a kernel refuses only that is told which torch's ops refuse, too.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

_LAYOUTS = ("BNSD", "BSND", "BSH", "SBH", "TND")
"""Layouts of attention operands: batch, heads, sequence, head size; hidden; tokens of all sequences."""


def npu_rms_norm(
    self: Tensor, gamma: Tensor, epsilon: float = 1e-6
) -> tuple[Tensor, Tensor]:
    """Return the norm in `self`'s dtype, and 1 / rms in float32; computed in float32."""
    wide = self.float()
    rstd = torch.rsqrt(
        wide.pow(2).mean(tuple(range(-gamma.dim(), 0)), keepdim=True) + epsilon
    )
    return (wide * rstd * gamma.float()).to(self.dtype), rstd


def npu_add_rms_norm(
    x1: Tensor, x2: Tensor, gamma: Tensor, epsilon: float = 1e-6
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the norm of the sum, 1 / rms, and the sum."""
    added = x1 + x2
    return *npu_rms_norm(added, gamma, epsilon), added


def npu_swiglu(self: Tensor, dim: int = -1) -> Tensor:
    """Return the gated product, half as wide along `dim`."""
    gate, up = self.chunk(2, dim)
    return F.silu(gate) * up


def npu_geglu(
    self: Tensor, dim: int = -1, approximate: int = 1, activate_left: bool = False
) -> tuple[Tensor, Tensor]:
    """Return the product, and the activated half."""
    left, right = self.chunk(2, dim)
    gate, up = (left, right) if activate_left else (right, left)
    active = F.gelu(gate, approximate="tanh" if approximate else "none")
    return active * up, active


def npu_rotary_mul(
    self: Tensor, r1: Tensor, r2: Tensor, rotary_mode: str = "half"
) -> Tensor:
    """Return `self * cos + rotated(self) * sin`."""
    if rotary_mode == "interleave":
        rotated = torch.stack((-self[..., 1::2], self[..., ::2]), -1).flatten(-2)
    else:
        first, second = self.chunk(2, -1)
        rotated = torch.cat((-second, first), -1)
    return self * r1 + rotated * r2


def npu_fusion_attention(  # noqa: PLR0913 - torch_npu's
    query: Tensor,
    key: Tensor,
    value: Tensor,
    head_num: int,
    input_layout: str,
    pse: Tensor | None = None,
    _padding_mask: None = None,
    atten_mask: Tensor | None = None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    *_: Any,
    sparse_mode: int = 0,
    **__: Any,
) -> tuple[Any, ...]:
    """Return attention in the operands' layout, softmax's float32 maximum and sum, and four for the backward pass.

    A mask tells what is left out. With `sparse_mode` 2 to 4 it is a compressed triangle, here a causal mask.
    """
    if input_layout not in _LAYOUTS:
        raise ValueError(
            f"input_layout {input_layout!r} is not one of {', '.join(_LAYOUTS)}"
        )
    width = query.shape[-1] // head_num if "H" in input_layout else query.shape[-1]
    q, k, v = (_heads_first(t, input_layout, width) for t in (query, key, value))
    causal = sparse_mode in (2, 3, 4) or (
        input_layout == "TND" and atten_mask is not None
    )
    bias = _bias(pse, None if causal else atten_mask)
    grouped = q.shape[-3] != k.shape[-3]
    out = F.scaled_dot_product_attention(
        q,
        k,
        v,
        attn_mask=bias,
        dropout_p=1 - keep_prob,
        is_causal=causal and bias is None,
        scale=scale,
        enable_gqa=grouped,
    )
    kept = torch.empty(*q.shape[:-1], 8, dtype=torch.float32, device=q.device)
    nothing = torch.empty(0, dtype=q.dtype, device=q.device)
    return _as_given(out, input_layout), kept, torch.empty_like(kept), nothing, 0, 0, 0


def _bias(pse: Tensor | None, left_out: Tensor | None) -> Tensor | None:
    """Return the mask argument of torch's attention: a mask of what to include, or a bias added to the scores."""
    let_in = None if left_out is None else ~left_out.bool()
    if pse is None:
        return let_in
    return pse if let_in is None else pse.masked_fill(~let_in, float("-inf"))


def _heads_first(t: Tensor, layout: str, width: int) -> Tensor:
    if layout in ("BSH", "SBH"):
        t = t.transpose(0, 1) if layout == "SBH" else t
        split: Tensor = t.unflatten(-1, (-1, width))
        return split.transpose(1, 2)
    return t if layout == "BNSD" else t.transpose(-3, -2)


def _as_given(out: Tensor, layout: str) -> Tensor:
    if layout in ("BSH", "SBH"):
        out = out.transpose(1, 2).flatten(-2)
        return out.transpose(0, 1) if layout == "SBH" else out
    return out if layout == "BNSD" else out.transpose(-3, -2)


def npu_scaled_masked_softmax(
    x: Tensor, mask: Tensor, scale: float = 1, *_: Any, **__: Any
) -> Tensor:
    """Return the softmax in `x`'s dtype; entries that `mask` marks are left out."""
    scores: Tensor = (x * scale).masked_fill(mask.bool(), -10000.0)
    return scores.softmax(-1)


OPS = {name: value for name, value in globals().items() if name.startswith("npu_")}
OPS |= {
    "npu_dtype_cast": lambda self, dtype: self.to(dtype),
    # torch does not see the layout in memory
    **dict.fromkeys(("npu_format_cast", "npu_format_cast_"), lambda self, *_: self),
    **dict.fromkeys(("npu_fast_gelu", "fast_gelu"), partial(F.gelu, approximate="tanh")),
    "npu_linear": F.linear,
    "npu_silu": F.silu,
}  # fmt: skip
