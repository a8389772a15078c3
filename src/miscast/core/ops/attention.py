"""Attention."""

from __future__ import annotations

from .op import Op

OPS = (
    Op(name="sdpa", ours=True, schemas="scaled_dot_product_attention",
       begins="scaled_dot_product flash_attention efficient_attention cudnn_attention",
       kernels={"flash_attention": "cpu"}, arguments="attn_mask", operands=("query", "key", "value", "attn_mask")),
    Op(name="multi_head_attention", ours=True, aliases="transform_bias_rescale_qkv", modules="MultiheadAttention",
       file="modules/activation.py"),
    Op(name="rotary embedding", ours=True, aliases="rotary"),
)
