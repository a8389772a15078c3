"""xformers: `memory_efficient_attention` as xformers/ops/fmha/__init__.py and common.py take it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .judge import Judge

PACKAGE, VERSION = "xformers", "0.0.33"
_DIFFERS = dict.fromkeys(
    ("key", "value"),
    "Query/Key/Value should either all have the same dtype, or (in the quantized case) Key/Value should have dtype "
    "torch.int32",
)


_DTYPES = (torch.float16, torch.bfloat16, torch.float32)
_AMPERE = (8, 0)


class LowerTriangularMask:
    """The causal mask of attention."""


class SwiGLU(torch.nn.Module):
    """A gated feed-forward net."""

    def __init__(
        self,
        in_features: int,
        hidden_features: int,
        out_features: int | None = None,
        bias: bool = True,
        **_: Any,
    ) -> None:
        """Create one layer for both inner projections."""
        super().__init__()
        self.w12 = torch.nn.Linear(in_features, 2 * hidden_features, bias=bias)
        self.w3 = torch.nn.Linear(
            hidden_features, out_features or in_features, bias=bias
        )

    def forward(self, x: torch.Tensor) -> Any:
        """Return `w3(silu(w1 x) * w2 x)`."""
        gate, value = self.w12(x).chunk(2, dim=-1)
        return self.w3(F.silu(gate) * value)


def _supported(query: Any) -> tuple[torch.dtype, ...]:
    """Return the dtypes of the kernels, the usual one first.

    Fmha/cutlass.py, and common.py's `not_supported_reasons`.
    """
    if (
        query.device.type == "cuda"
        and torch.cuda.get_device_capability(query.device) < _AMPERE
    ):
        return tuple(dtype for dtype in _DTYPES if dtype is not torch.bfloat16)
    return _DTYPES


def _refusal(query: Any) -> str:
    if query.dtype is torch.bfloat16:
        reason = "bf16 is only supported on A100+ GPUs"
    else:
        reason = f"dtype={query.dtype} (supported: {{{', '.join(map(str, _DTYPES))}}})"
    return (
        "No operator found for `memory_efficient_attention_forward` with inputs: "
        f"query: shape={tuple(query.shape)} ({query.dtype}); `cutlassF` is not supported because: {reason}"
    )


def modules(judge: Judge) -> Mapping[str, Mapping[str, Any]]:
    """Return what vision towers and diffusion models use."""

    def memory_efficient_attention(
        query: Any,
        key: Any,
        value: Any,
        attn_bias: Any = None,
        p: float = 0.0,
        scale: Any = None,
        **_: Any,
    ) -> Any:
        operands, given = {"query": query, "key": key, "value": value}, query.dtype
        query, key, value = judge.fitted(
            "memory_efficient_attention",
            operands,
            differs=_DIFFERS,
            raises="ValueError",
        )
        query, key, value = judge.fitted(
            "memory_efficient_attention",
            {"query": query, "key": key, "value": value},
            differs={},
            only=_supported(query),
            refuses=_refusal(query),
            raises="NotImplementedError",
        )
        flat = query.dim() == 3
        q, k, v = (t[:, :, None] if flat else t for t in (query, key, value))
        causal = isinstance(attn_bias, LowerTriangularMask)
        bias = None if causal else attn_bias
        if bias is not None and flat and bias.dim() == 3:
            bias = bias[:, None]
        q, k, v = (t.transpose(-3, -2) for t in (q, k, v))
        with torch.autocast("cuda", enabled=False):  # which does not know the kernel
            out = F.scaled_dot_product_attention(
                q, k, v, attn_mask=bias, dropout_p=p, is_causal=causal, scale=scale
            )
        # the kernels' own result, whichever is taken of torch's
        out = out.transpose(-3, -2).contiguous()
        return (out[:, :, 0] if flat else out).to(given)

    attention = {"memory_efficient_attention": memory_efficient_attention}
    names = {
        **attention,
        "LowerTriangularMask": LowerTriangularMask,
        "SwiGLU": SwiGLU,
        "unbind": torch.unbind,
    }
    masks = {"LowerTriangularMask": LowerTriangularMask}
    return {
        "xformers": {},
        "xformers.ops": names,
        "xformers.ops.fmha": {**attention, **masks},
        "xformers.ops.fmha.attn_bias": masks,
    }
