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


class LowerTriangularMask:
    """What makes attention causal."""


class SwiGLU(torch.nn.Module):
    """A gated feed-forward net."""

    def __init__(
        self, in_features: int, hidden_features: int, out_features: int | None = None, bias: bool = True, **_: Any
    ) -> None:
        """Both inner layers are one."""
        super().__init__()
        self.w12 = torch.nn.Linear(in_features, 2 * hidden_features, bias=bias)
        self.w3 = torch.nn.Linear(hidden_features, out_features or in_features, bias=bias)

    def forward(self, x: torch.Tensor) -> Any:
        """`w3(silu(w1 x) * w2 x)`."""
        gate, value = self.w12(x).chunk(2, dim=-1)
        return self.w3(F.silu(gate) * value)


def modules(judge: Judge) -> Mapping[str, Mapping[str, Any]]:
    """What vision towers and diffusion models use."""

    def memory_efficient_attention(
        query: Any, key: Any, value: Any, attn_bias: Any = None, p: float = 0.0, scale: Any = None, **_: Any
    ) -> Any:
        operands = {"query": query, "key": key, "value": value}
        query, key, value = judge.fitted(
            "memory_efficient_attention", operands, differs=_DIFFERS, raises="ValueError"
        )
        flat = query.dim() == 3
        q, k, v = (t[:, :, None] if flat else t for t in (query, key, value))
        causal = isinstance(attn_bias, LowerTriangularMask)
        bias = None if causal else attn_bias
        if bias is not None and flat and bias.dim() == 3:
            bias = bias[:, None]
        q, k, v = (t.transpose(-3, -2) for t in (q, k, v))
        with torch.autocast("cuda", enabled=False):  # which does not know the kernel
            out = F.scaled_dot_product_attention(q, k, v, attn_mask=bias, dropout_p=p, is_causal=causal, scale=scale)
        out = out.transpose(-3, -2)
        return out[:, :, 0] if flat else out

    names = {
        "memory_efficient_attention": memory_efficient_attention, "LowerTriangularMask": LowerTriangularMask,
        "SwiGLU": SwiGLU, "unbind": torch.unbind,
    }  # fmt: skip
    masks = {"LowerTriangularMask": LowerTriangularMask}
    return {
        "xformers": {},
        "xformers.ops": names,
        "xformers.ops.fmha": {"memory_efficient_attention": memory_efficient_attention, **masks},
        "xformers.ops.fmha.attn_bias": masks,
    }
