"""Scaled dot product attention: query, key and value of one dtype; a mask is bool, float32 or like the query."""

from __future__ import annotations

from .contract import Contract, Texts

_QKV = (
    "Expected query, key, and value to have the same dtype, but got query.dtype: {query.c10} "
    "key.dtype: {key.c10} and value.dtype: {value.c10} instead."
)
_MASK = (
    "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
    "attn_mask.dtype: {attn_mask.c10} and  query.dtype: {query.c10} instead."
)
_BIAS = "invalid dtype for bias - should match query's dtype"
_ERRORS: Texts = {("query", "key"): _QKV, ("query", "value"): _QKV, ("query", "attn_mask"): _MASK}
_KERNELS = tuple(
    f"aten._scaled_dot_product_{name}"
    for name in (
        "flash_attention", "efficient_attention", "cudnn_attention", "flash_attention_for_cpu",
        "fused_attention_overrideable",
    )
)

CONTRACTS = (
    Contract(
        ops=("aten.scaled_dot_product_attention",), attention=True, on=("cuda",),
        same=(("query", "key", "value"), ("query", "attn_mask")), also={"attn_mask": ("bool",)},
        errors={
            ("query", "key"): _QKV,
            ("query", "value"): _QKV,
            ("query", "attn_mask@float32"): _BIAS,
            ("query", "attn_mask"): _MASK,
        },
        device_error=(("Expected query, key, and value to have the same device type, but got query.device: "
        "{query.device} key.device: {key.device} and value.device: {value.device} instead."),),
        by_chip=True,
        source="ATen/native/transformers/cuda/attention.cu _efficient_attention_forward: for calls with masks. From "
        "Hopper on, cuDNN's kernel goes first, and takes float32 masks: measured on H100, torch 2.11",
    ),
    Contract(
        ops=("aten.scaled_dot_product_attention",), attention=True,
        same=(("query", "key", "value"), ("query", "attn_mask")), also={"attn_mask": ("bool", "float32")},
        errors=_ERRORS,
        device_error=(("Expected query, key, and value to have the same device type, but got query.device: "
        "{query.device} key.device: {key.device} and value.device: {value.device} instead."),),
        source="measured on CPU, torch 2.13; ATen/native/transformers/attention.cpp validate_sdpa_input",
    ),
    Contract(
        ops=(*_KERNELS, "aten._flash_attention_forward", "aten._efficient_attention_forward"),
        same=(("query", "key", "value"), ("query", "attn_mask"), ("query", "attn_bias")),
        also={"attn_mask": ("bool", "float32"), "attn_bias": ("bool",)}, source="measured on CPU, torch 2.13",
    ),
    Contract(
        ops=tuple(f"{op}_backward" for op in _KERNELS),
        same=(("query", "key", "value", "grad_out", "grad_out_", "out"),), source="measured on CPU, torch 2.13",
    ),
    Contract(ops=("aten._scaled_dot_product_attention_math",), promotes=True, source="measured on CPU, torch 2.13"),
)
