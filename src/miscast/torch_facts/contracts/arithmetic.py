"""Arithmetic that does not promote freely. All other pointwise ops promote: see `pointwise_contract`."""

from __future__ import annotations

from .contract import COMPLEX, FLOATS, FULL, INTEGERS, Contract, Texts

_MEASURED = "measured on CPU, torch 2.13"
_LERP: Texts = {
    ("self", "end"): "expected dtype {self.c10} for `end` but got dtype {end.c10}",
    ("self", "weight"): "expected dtype {self.c10} for `weight` but got dtype {weight.c10}",
}
_FOUND = "Found dtype {odd} but expected {like}"
_INTEGER_KERNELS = {
    "bitwise_and": ("aten.bitwise_and", "aten.__and__"),
    "bitwise_or": ("aten.bitwise_or", "aten.__or__"),
    "bitwise_xor": ("aten.bitwise_xor", "aten.__xor__"),
    "lshift": ("aten.bitwise_left_shift",),
    "rshift": ("aten.bitwise_right_shift",),
    "gcd": ("aten.gcd",),
    "lcm": ("aten.lcm",),
}
_RANDOM = ("normal", "uniform", "exponential", "cauchy", "log_normal")
_FLOAT_ONLY = ("elu", "celu", "selu", "leaky_relu", "mish", "hardsigmoid", "hardswish", "gelu", "rrelu")

_SUBTRACTED = (*FLOATS, *COMPLEX, *INTEGERS[:-1])
_PROMOTING = (
    "floor_divide", "pairwise_distance", "cosine_similarity", "dist", "isin", "bucketize", "searchsorted",
    "trapezoid", "trapz", "cumulative_trapezoid", "diff", "linspace", "logspace", "slice_scatter", "select_scatter",
    "diagonal_scatter", "as_strided_scatter", "elu_backward", "hardtanh_backward", "hardsigmoid_backward",
    "hardswish_backward", "hardshrink_backward", "softshrink_backward", "softplus_backward", "leaky_relu_backward",
    "mish_backward", "rrelu_with_noise_backward", "cumprod_backward", "eq_", "ne_", "lt_", "le_", "gt_", "ge_",
)

CONTRACTS = (
    *(
        Contract(
            ops=ops, only={"self": _SUBTRACTED, "other": _SUBTRACTED}, promotes=True, cpu_scalars=True, into=into,
            errors=dict.fromkeys(
                (("self",), ("other",)),
                "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a "
                "mask, use the `~` or `logical_not()` operator instead.",
            ),
            source=f"{_MEASURED}; ATen/native/BinaryOps.h sub_check",
        )
        for ops, into in (
            (("aten.sub", "aten.subtract", "aten.rsub"), ""),
            (("aten.sub_", "aten.subtract_"), "self"),
            (("aten.sub.out", "aten.subtract.out"), "out"),
        )
    ),
    Contract(ops=("aten.silu", "aten.silu_"), kernels=(*FLOATS, *COMPLEX), source=_MEASURED),
    Contract(
        ops=("aten.lerp", "aten.lerp_"), same=(("self", "end", "weight"),), cpu_scalars=True, errors=_LERP,
        source=f"{_MEASURED}; ATen/native/Lerp.cpp TORCH_META_FUNC(lerp_Tensor)",
    ),
    Contract(
        ops=("aten.heaviside", "aten.heaviside_"), same=(("self", "values"),), cpu_scalars=True,
        error="heaviside is not yet implemented for tensors with different dtypes.",
        source=f"{_MEASURED}; ATen/native/BinaryOps.cpp TORCH_META_FUNC(heaviside)",
    ),
    Contract(
        ops=("aten.complex",), same=(("real", "imag"),), kernels=(*FULL, "float16"),
        error="Expected object of scalar type {real} but got scalar type {imag} for second argument",
        source=f"{_MEASURED}; ATen/native/TensorFactories.cpp complex_check_dtype",
    ),
    Contract(
        ops=("aten.polar",), same=(("abs", "angle"),), kernels=FULL,
        error="Expected object of scalar type {abs} but got scalar type {angle} for second argument",
        source=f"{_MEASURED}; ATen/native/TensorFactories.cpp complex_check_dtype",
    ),
    Contract(
        ops=("aten.isclose", "aten.allclose"), same=(("self", "other"),), error="{self} did not match {other}",
        source=f"{_MEASURED}; ATen/native/TensorCompare.cpp isclose",
    ),
    Contract(
        ops=("aten.prelu",), same=(("weight", "self"),),
        error="prelu: Type promoting not supported. Got {self} and {weight}",
        source=f"{_MEASURED}; ATen/native/Activation.cpp prelu",
    ),
    Contract(
        ops=("aten._prelu_kernel", "aten._prelu_kernel_backward"), same=(("self", "weight", "grad_output"),),
        error=_FOUND, source=_MEASURED,
    ),
    Contract(
        ops=("aten.glu_backward", "aten.log_sigmoid_backward"), same=(("self", "grad_output", "buffer"),), error=_FOUND,
        source=_MEASURED,
    ),
    Contract(
        ops=("aten._softmax_backward_data", "aten._log_softmax_backward_data"), same=(("grad_output", "output"),),
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.rrelu_with_noise", "aten.rrelu_with_noise_"), same=(("self", "noise"),), kernels=(*FULL, "bfloat16"),
        source=_MEASURED,
    ),
    *(
        Contract(
            ops=ops, only={"self": INTEGERS, "other": INTEGERS}, promotes=True, cpu_scalars=True,
            errors=dict.fromkeys([("self",), ("other",)], f"\"{kernel}_cpu\" not implemented for '{{odd}}'"),
            source=_MEASURED,
        )
        for kernel, ops in _INTEGER_KERNELS.items()
    ),
    *(
        Contract(
            ops=tuple(f"{op}_" for op in ops if "__" not in op) + tuple(op.replace("__", "__i", 1) for op in ops[1:]),
            only={"self": INTEGERS}, promotes=True, into="self", cpu_scalars=True,
            errors={("self",): f"\"{kernel}_cpu\" not implemented for '{{odd}}'"}, source=_MEASURED,
        )
        for kernel, ops in _INTEGER_KERNELS.items()
    ),
    Contract(
        ops=("aten.bitwise_not", "aten.bitwise_not_", "aten.__invert__"), only={"self": INTEGERS},
        errors={("self",): "\"bitwise_not_cpu\" not implemented for '{odd}'"}, source=_MEASURED,
    ),
    Contract(
        ops=tuple(f"aten.{name}_" for name in _RANDOM), same=(("self",),), kernels=(*FLOATS, *COMPLEX),
        any_device=("self",), errors={("kernels",): "\"normal_kernel_cpu\" not implemented for '{odd}'"},
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.clamp.out", "aten.amax.out", "aten.amin.out"), same=(("self", "out"),),
        error="Found dtype {self} but expected {out}", source=_MEASURED,
    ),
    Contract(
        ops=tuple(f"aten.{name}{end}" for name in _FLOAT_ONLY for end in ("", "_")), kernels=FLOATS, source=_MEASURED,
    ),
    Contract(
        ops=tuple(f"aten.{name}" for name in _PROMOTING), promotes=True, cpu_scalars=True,
        source=f"{_MEASURED}: no mix of floating dtypes is refused",
    ),
    Contract(
        ops=("aten.type_as", "aten.view_as", "aten.expand_as", "aten.reshape_as", "aten.broadcast_tensors"),
        any_device=("self", "other", "tensors"),
        source="ATen/native/TensorShape.cpp: only the other's shape or type is asked",
    ),
    Contract(
        ops=("aten.fill_", "aten.fill"), any_device=("value",),
        source="ATen/native/Fill.cpp fill_out: a value on another device is read or copied",
    ),
    Contract(
        ops=("aten.copy_", "aten.copy"), any_device=("self", "src"),
        source="ATen/native/Copy.cpp: copies across devices and casts to self's dtype",
    ),
    Contract(
        ops=("aten.floor_divide_", "aten.copysign_", "aten.hypot_", "aten.true_divide_"), promotes=True, into="self",
        cpu_scalars=True, source=_MEASURED,
    ),
)
