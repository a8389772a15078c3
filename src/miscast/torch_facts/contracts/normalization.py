"""Normalizations. On the CPU norm weights may stay float32 under a half input; on CUDA only batch norm allows it."""

from __future__ import annotations

from .contract import COMPLEX, FLOATS, Contract, Texts

_CPU: Texts = {
    ("input@float64", "weight@float32"): "mixed dtype (CPU): all inputs must share same datatype.",
    ("input", "weight"): "mixed dtype (CPU): expect parameter to have scalar type of Float",
    ("weight", "bias"): "expected scalar type {input} but found {bias}",
    ("input@float64", "bias@float32"): "mixed dtype (CPU): all inputs must share same datatype.",
    ("input", "bias"): "mixed dtype (CPU): expect parameter to have scalar type of Float",
    ("input", "running_mean"): "expected scalar type {input} but found {running_mean}",
    ("input", "running_var"): "expected scalar type {input} but found {running_var}",
}
_CPU_SOURCE = "measured on CPU, torch 2.13; ATen/native/cpu/mixed_data_type.h is_mixed_type, check_mixed_data_type"
_LAYER = ("aten.layer_norm", "aten.native_layer_norm")
_GROUP = ("aten.group_norm", "aten.native_group_norm")
_BATCH = (
    "aten.batch_norm", "aten.native_batch_norm", "aten._batch_norm_impl_index", "aten._batch_norm_with_update",
    "aten._batch_norm_with_update_functional", "aten._batch_norm_no_update", "aten._native_batch_norm_legit",
    "aten._native_batch_norm_legit_functional", "aten._native_batch_norm_legit_no_training",
)  # fmt: skip

CONTRACTS = (
    Contract(
        ops=_LAYER, same=(("weight", "bias", "input"),), wider=("weight", "bias"), kernels=FLOATS, on=("cpu",),
        errors={**_CPU, ("kernels",): "\"LayerNormKernelImpl\" not implemented for '{odd}'"}, source=_CPU_SOURCE,
    ),
    Contract(
        ops=_LAYER, same=(("weight", "bias", "input"),), kernels=FLOATS,
        errors={
            ("input", "weight"): "expected scalar type {input} but found {weight}",
            ("input", "bias"): "expected scalar type {input} but found {bias}",
            ("kernels",): "\"LayerNormKernelImpl\" not implemented for '{odd}'",
        },
        source="ATen/native/cuda/layer_norm_kernel.cu: gamma.const_data_ptr<T> of the input's dtype",
    ),
    Contract(
        ops=_GROUP, same=(("weight", "bias", "input"),), wider=("weight", "bias"), kernels=FLOATS, on=("cpu",),
        errors={**_CPU, ("kernels",): "\"GroupNormKernelImpl\" not implemented for '{odd}'"}, source=_CPU_SOURCE,
    ),
    Contract(
        ops=_GROUP, same=(("weight", "bias", "input"),), kernels=FLOATS,
        errors={
            ("input@float16", "weight@float32"): "expected scalar type {input} but found {weight}",
            ("input@bfloat16", "weight@float32"): "expected scalar type {input} but found {weight}",
            **_CPU,
            ("kernels",): "\"GroupNormKernelImpl\" not implemented for '{odd}'",
        },
        source="ATen/native/group_norm.cpp native_group_norm checks as on the CPU, then "
        "ATen/native/cuda/group_norm_kernel.cu takes data_ptr<T> of the input's dtype",
    ),
    Contract(
        ops=_BATCH, same=(("weight", "bias", "running_mean", "running_var", "input"),),
        wider=("weight", "bias", "running_mean", "running_var"), kernels=FLOATS, on=("cpu",),
        errors={**_CPU, ("kernels",): "\"batch_norm\" not implemented for '{odd}'"}, source=_CPU_SOURCE,
    ),
    Contract(
        ops=_BATCH, same=(("weight", "bias", "input"), ("running_mean", "running_var", "input")),
        wider=("weight", "bias", "running_mean", "running_var"), kernels=FLOATS,
        errors={
            ("input", "weight"): "Expected tensor for argument #1 'input' to have the same type as tensor for argument "
            "#2 'weight'; but type {input.type} does not equal {weight.type} "
            "(while checking arguments for cudnn_batch_norm)",
            ("weight", "bias"): "expected scalar type {weight} but found {bias}",
            ("input", "running_mean"): "expected scalar type {input} but found {running_mean}",
            ("input", "running_var"): "expected scalar type {input} but found {running_var}",
        },
        source="ATen/native/cudnn/BatchNorm.cpp; ATen/native/cuda/Normalization.cu is_mixed_type per pair",
    ),
    Contract(
        ops=("aten.rms_norm", "aten._fused_rms_norm"), promotes=True, kernels=(*FLOATS, *COMPLEX),
        errors={("kernels",): "\"rms_norm\" not implemented for '{odd}'"},
        source="measured on CPU, torch 2.13; ATen/native/layer_norm.cpp rms_norm_symint promotes",
    ),
    Contract(
        ops=("aten.native_layer_norm_backward",), same=(("input", "grad_out"),),
        source="measured on CPU, torch 2.13; weights and statistics are those that the forward pass took or made",
    ),
    Contract(
        ops=("aten.native_group_norm_backward",), same=(("input", "grad_out"),),
        error="Expected scalar types of X and dY are same.",
        source="measured on CPU, torch 2.13; ATen/native/group_norm.cpp native_group_norm_backward",
    ),
    Contract(
        ops=("aten.native_batch_norm_backward", "aten.batch_norm_backward", "aten._batch_norm_impl_index_backward"),
        same=(("input", "grad_out"),), source="measured on CPU, torch 2.13",
    ),
)
