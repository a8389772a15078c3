"""flash-attn: what csrc/flash_attn/flash_api.cpp asks of dtypes; shapes and results as in flash_attn_interface.py.

The order of arguments is that of flash-attn 2.8. Attention itself is torch's, whose kernel is the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.nn import functional as F  # noqa: N812 - as everybody calls it

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .judge import Judge

PACKAGE, VERSION = "flash_attn", "2.8.3"
_HALVES = (torch.bfloat16, torch.float16)
_ONLY = "FlashAttention only support fp16 and bf16 data type"
_AMPERE = (8, 0)
_DIFFERS = {
    "k": "query and key must have the same dtype",
    "v": "query and value must have the same dtype",
}


def modules(judge: Judge) -> Mapping[str, Mapping[str, Any]]:
    """Return the functions that programs call."""
    attend = _attending(judge)

    def flash_attn_func(
        q: Any,
        k: Any,
        v: Any,
        dropout_p: float = 0.0,
        softmax_scale: Any = None,
        causal: bool = False,
        window_size: Any = (-1, -1),
        softcap: float = 0.0,
        alibi_slopes: Any = None,
        deterministic: bool = False,
        return_attn_probs: bool = False,
    ) -> Any:
        return _returned(
            attend("flash_attn_func", q, k, v, dropout_p, softmax_scale, causal),
            q,
            return_attn_probs,
        )

    def flash_attn_kvpacked_func(q: Any, kv: Any, *args: Any, **more: Any) -> Any:
        return flash_attn_func(q, *kv.unbind(-3), *args, **more)

    def flash_attn_qkvpacked_func(qkv: Any, *args: Any, **more: Any) -> Any:
        return flash_attn_func(*qkv.unbind(-3), *args, **more)

    def flash_attn_varlen_func(
        q: Any,
        k: Any,
        v: Any,
        cu_seqlens_q: Any,
        cu_seqlens_k: Any,
        max_seqlen_q: Any,
        max_seqlen_k: Any,
        dropout_p: float = 0.0,
        softmax_scale: Any = None,
        causal: bool = False,
        window_size: Any = (-1, -1),
        softcap: float = 0.0,
        alibi_slopes: Any = None,
        deterministic: bool = False,
        return_attn_probs: bool = False,
        block_table: Any = None,
    ) -> Any:
        packed = (t[None] for t in (q, k, v))
        out = attend(
            "flash_attn_varlen_func", *packed, dropout_p, softmax_scale, causal
        )[0]
        return _returned(out, q, return_attn_probs)

    def flash_attn_varlen_qkvpacked_func(
        qkv: Any, cu_seqlens: Any, max_seqlen: Any, *args: Any, **more: Any
    ) -> Any:
        q, k, v = qkv.unbind(-3)
        return flash_attn_varlen_func(
            q, k, v, cu_seqlens, cu_seqlens, max_seqlen, max_seqlen, *args, **more
        )

    def flash_attn_varlen_kvpacked_func(
        q: Any, kv: Any, *args: Any, **more: Any
    ) -> Any:
        return flash_attn_varlen_func(q, *kv.unbind(-3), *args, **more)

    def flash_attn_with_kvcache(
        q: Any,
        k_cache: Any,
        v_cache: Any,
        k: Any = None,
        v: Any = None,
        *rest: Any,
        softmax_scale: Any = None,
        causal: bool = False,
        **more: Any,
    ) -> Any:
        return attend(
            "flash_attn_with_kvcache", q, k_cache, v_cache, 0.0, softmax_scale, causal
        )

    padded = flash_attn_func, flash_attn_kvpacked_func, flash_attn_qkvpacked_func
    varlen = flash_attn_varlen_func, flash_attn_varlen_kvpacked_func
    rest = flash_attn_varlen_qkvpacked_func, flash_attn_with_kvcache
    padding = unpad_input, pad_input, index_first_axis
    functions = {f.__name__: f for f in (*padded, *varlen, *rest)}
    return {
        "flash_attn": functions,
        "flash_attn.flash_attn_interface": functions,
        "flash_attn.bert_padding": {f.__name__: f for f in padding},
    }


def _attending(judge: Judge) -> Any:
    def attend(
        op: str, q: Any, k: Any, v: Any, dropout: float, scale: Any, causal: bool
    ) -> Any:
        """Compute attention; operands and result are (batch, length, heads, size)."""
        operands, given = {"q": q, "k": k, "v": v}, q.dtype
        q, k, v = judge.fitted(
            op, operands, only=_HALVES, refuses=_ONLY, differs=_DIFFERS
        )
        if q.device.type != "cuda":
            raise RuntimeError("q must be on CUDA")
        if torch.cuda.get_device_capability(q.device) < _AMPERE:
            raise RuntimeError("FlashAttention only supports Ampere GPUs or newer.")
        shared = q.shape[2] != k.shape[2]
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        with torch.autocast("cuda", enabled=False):  # which does not know the kernel
            out = F.scaled_dot_product_attention(
                q,
                k,
                v,
                dropout_p=dropout,
                is_causal=causal,
                scale=scale,
                enable_gqa=shared,
            )
        return out.transpose(1, 2).to(given)

    return attend


def _returned(out: Any, q: Any, with_probabilities: bool) -> Any:
    if not with_probabilities:
        return out
    lse = torch.zeros(
        *q.shape[:-3], q.shape[-2], q.shape[-3], dtype=torch.float32, device=q.device
    )
    return out, lse, None


def index_first_axis(input: torch.Tensor, indices: torch.Tensor) -> torch.Tensor:  # noqa: A002 - flash-attn's name
    """Return the rows of these numbers."""
    return input[indices]


def unpad_input(
    hidden_states: torch.Tensor, attention_mask: torch.Tensor, unused_mask: Any = None
) -> Any:
    """Return (rows without padding, their indices, cumulative lengths, the longest length, the lengths)."""
    every = attention_mask + unused_mask if unused_mask is not None else attention_mask
    lengths = every.sum(dim=-1, dtype=torch.int32)
    used = attention_mask.sum(dim=-1, dtype=torch.int32)
    indices = torch.nonzero(every.flatten(), as_tuple=False).flatten()
    summed = F.pad(torch.cumsum(lengths, dim=0, dtype=torch.int32), (1, 0))
    kept = hidden_states.flatten(0, 1)[indices]
    return kept, indices, summed, lengths.max().item(), used


def pad_input(
    hidden_states: torch.Tensor, indices: torch.Tensor, batch: int, seqlen: int
) -> torch.Tensor:
    """Return the rows as (batch, seqlen, …), with zeros for the padding."""
    made = torch.zeros(
        batch * seqlen,
        *hidden_states.shape[1:],
        device=hidden_states.device,
        dtype=hidden_states.dtype,
    )
    return made.index_put((indices,), hidden_states).view(
        batch, seqlen, *hidden_states.shape[1:]
    )
