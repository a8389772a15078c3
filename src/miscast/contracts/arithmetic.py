"""Arithmetic that does not promote freely. All other pointwise ops promote: see `pointwise_contract`."""

from __future__ import annotations

from .contract import COMPLEX, FLOATS, FULL, INTEGERS, Contract

_MEASURED = "measured on CPU, torch 2.13"
_LERP = {
    ("self", "end"): "expected dtype {self.c10} for `end` but got dtype {end.c10}",
    ("self", "weight"): "expected dtype {self.c10} for `weight` but got dtype {weight.c10}",
}
_FOUND = "Found dtype {odd} but expected {like}"
_BITWISE = ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift", "gcd", "lcm")
_INTEGERS = {"self": INTEGERS, "other": INTEGERS}
_NOT_INTEGERS = {(name,): "\"bitwise_and_cpu\" not implemented for '{odd}'" for name in _INTEGERS}
_RANDOM = ("normal", "uniform", "exponential", "cauchy", "log_normal")
_FLOAT_ONLY = ("elu", "celu", "selu", "leaky_relu", "silu", "mish", "hardsigmoid", "hardswish", "gelu", "rrelu")

CONTRACTS = (
    Contract(
        ops=("aten.lerp", "aten.lerp_"),
        same=(("self", "end", "weight"),),
        cpu_scalars=True,
        errors=_LERP,
        source=f"{_MEASURED}; ATen/native/Lerp.cpp TORCH_META_FUNC(lerp_Tensor)",
    ),
    Contract(
        ops=("aten.heaviside", "aten.heaviside_"),
        same=(("self", "values"),),
        cpu_scalars=True,
        error="heaviside is not yet implemented for tensors with different dtypes.",
        source=f"{_MEASURED}; ATen/native/BinaryOps.cpp TORCH_META_FUNC(heaviside)",
    ),
    Contract(
        ops=("aten.complex",),
        same=(("real", "imag"),),
        kernels=(*FULL, "float16"),
        error="Expected object of scalar type {real} but got scalar type {imag} for second argument",
        source=f"{_MEASURED}; ATen/native/TensorFactories.cpp complex_check_dtype",
    ),
    Contract(
        ops=("aten.polar",),
        same=(("abs", "angle"),),
        kernels=FULL,
        error="Expected object of scalar type {abs} but got scalar type {angle} for second argument",
        errors={("kernels",): "\"polar_cpu\" not implemented for '{odd}'"},
        source=f"{_MEASURED}; ATen/native/TensorFactories.cpp complex_check_dtype",
    ),
    Contract(
        ops=("aten.isclose", "aten.allclose"),
        same=(("self", "other"),),
        error="{self} did not match {other}",
        source=f"{_MEASURED}; ATen/native/TensorCompare.cpp isclose",
    ),
    Contract(
        ops=("aten.prelu",),
        same=(("weight", "self"),),
        error="prelu: Type promoting not supported. Got {self} and {weight}",
        source=f"{_MEASURED}; ATen/native/Activation.cpp prelu",
    ),
    Contract(
        ops=("aten._prelu_kernel", "aten._prelu_kernel_backward"),
        same=(("self", "weight", "grad_output"),),
        error=_FOUND,
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.glu_backward", "aten.log_sigmoid_backward"),
        same=(("self", "grad_output", "buffer"),),
        error=_FOUND,
        source=_MEASURED,
    ),
    Contract(
        ops=("aten._softmax_backward_data", "aten._log_softmax_backward_data"),
        same=(("output", "grad_output"),),
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.rrelu_with_noise", "aten.rrelu_with_noise_"),
        kernels=(*FULL, "bfloat16"),
        source=_MEASURED,
    ),
    Contract(
        ops=tuple(f"aten.{name}" for name in _BITWISE),
        only=_INTEGERS,
        promotes=True,
        cpu_scalars=True,
        errors=_NOT_INTEGERS,
        source=_MEASURED,
    ),
    Contract(
        ops=tuple(f"aten.{name}_" for name in _BITWISE),
        only=_INTEGERS,
        promotes=True,
        into="self",
        cpu_scalars=True,
        errors=_NOT_INTEGERS,
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.__iand__", "aten.__ior__", "aten.__ixor__", "aten.__and__", "aten.__or__", "aten.__xor__"),
        only=_INTEGERS,
        promotes=True,
        cpu_scalars=True,
        errors=_NOT_INTEGERS,
        source=_MEASURED,
    ),
    Contract(
        ops=tuple(f"aten.{name}_" for name in _RANDOM),
        same=(("self",),),
        kernels=(*FLOATS, *COMPLEX),
        any_device=("self",),
        errors={("kernels",): "\"normal_kernel_cpu\" not implemented for '{odd}'"},
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.clamp.out", "aten.amax.out", "aten.amin.out"),
        same=(("self", "out"),),
        error="Found dtype {self} but expected {out}",
        source=_MEASURED,
    ),
    Contract(
        ops=tuple(f"aten.{name}{end}" for name in _FLOAT_ONLY for end in ("", "_")),
        kernels=FLOATS,
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.copy_", "aten.copy"),
        promotes=True,
        any_device=("self", "src"),
        source="ATen/native/Copy.cpp: copies across devices and casts to self's dtype",
    ),
    Contract(
        ops=("aten.floor_divide_", "aten.copysign_", "aten.hypot_", "aten.true_divide_"),
        promotes=True,
        into="self",
        cpu_scalars=True,
        source=_MEASURED,
    ),
)
