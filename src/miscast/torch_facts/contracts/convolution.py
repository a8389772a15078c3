"""Convolutions: input, weight and bias of one dtype on one device."""

from __future__ import annotations

from .contract import Contract, Texts

_BIAS = "Input type ({input.c10}) and bias type ({bias.c10}) should be the same"
_WEIGHT_TYPE = "Input type ({input.type}) and weight type ({weight.type}) should be the same"
_BIAS_TYPE = "Input type ({input.type}) and bias type ({bias.type}) should be the same"
_BACKEND: Texts = {
    ("input", "weight"): "expected scalar type {input} but found {weight}",
    ("input", "bias"): "expected scalar type {input} but found {bias}",
}
_DIRECT = ("aten.conv1d", "aten.conv2d", "aten.conv3d")
_PADDED = ("aten.conv1d.padding", "aten.conv2d.padding", "aten.conv3d.padding", "aten._convolution_mode")
_GENERAL = ("aten.convolution", "aten._convolution", "aten.convolution_overrideable")
_SAME = (("weight", "bias", "input"),)

CONTRACTS = (
    Contract(
        ops=_DIRECT, same=_SAME, on=("cpu",),
        errors={("input", "bias"): _BIAS, ("input", "weight"): "expected scalar type {input} but found {weight}"},
        device_error=(_WEIGHT_TYPE, _BIAS_TYPE),
        source="measured on CPU, torch 2.13; ATen/native/Convolution.cpp conv1d, conv2d, conv3d",
    ),
    Contract(
        ops=_DIRECT, same=_SAME, errors={("input", "bias"): _BIAS, ("input", "weight"): _WEIGHT_TYPE},
        device_error=(_WEIGHT_TYPE, _BIAS_TYPE),
        source="ATen/native/Convolution.cpp conv2d and check_input_same_type_as_parameters",
    ),
    Contract(
        ops=("aten.conv_transpose3d",), same=_SAME, on=("cpu",), errors=_BACKEND,
        device_error=(_WEIGHT_TYPE, _BIAS_TYPE), source="measured on CPU, torch 2.13",
    ),
    Contract(
        ops=("aten.conv_transpose1d", "aten.conv_transpose2d", *_PADDED, *_GENERAL), same=(("weight", "input"),),
        on=("cpu",), errors=_BACKEND, device_error=(_WEIGHT_TYPE, _BIAS_TYPE),
        source="measured on CPU, torch 2.13: most backends add the bias last and promote it",
    ),
    Contract(
        ops=("aten.conv_transpose1d", "aten.conv_transpose2d", "aten.conv_transpose3d", *_PADDED, *_GENERAL),
        same=_SAME, errors={("input", "weight"): _WEIGHT_TYPE, ("input", "bias"): _BIAS_TYPE},
        device_error=(_WEIGHT_TYPE, _BIAS_TYPE),
        source="ATen/native/Convolution.cpp check_input_same_type_as_parameters",
    ),
    Contract(
        ops=("aten.conv_tbc",), same=(("weight", "bias", "self"),), source="ATen/native/ConvolutionTBC.cpp addmm_",
    ),
    Contract(
        ops=("aten.convolution_backward",), same=(("input", "grad_output", "weight"),),
        source="measured on CPU, torch 2.13; ATen/native/Convolution.cpp convolution_backward",
    ),
)
