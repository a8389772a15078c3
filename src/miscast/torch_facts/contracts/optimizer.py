"""Contracts of optimizers and gradient scalers: foreach lists, index by index, and fused steps."""

from .contract import FLOATS, Contract

_MEASURED = "measured on CPU, torch 2.13"
_FUSED_STATE = ("self", "grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs", "momentum_buffer_list", "state_sums")
_FUSED = ("aten._fused_adam_", "aten._fused_adamw_", "aten._fused_sgd_", "aten._fused_adagrad_")
_INTO_SELF = ("add", "sub", "mul", "addcmul", "addcdiv", "clamp_min", "clamp_max", "maximum", "minimum", "pow")
_TO_FLOAT = (
    "div", "acos", "asin", "atan", "cos", "cosh", "erf", "erfc", "exp", "expm1", "lgamma", "log", "log10", "log1p",
    "log2", "reciprocal", "rsqrt", "sigmoid", "sin", "sinh", "sqrt", "tan", "tanh",
)
_KEEP_DTYPE = ("abs", "abs_", "neg", "neg_", "norm", "max", "sign", "ceil", "floor", "round", "trunc", "zero_", "clone")

CONTRACTS = (
    Contract(
        ops=("aten._foreach_lerp", "aten._foreach_lerp_"), same=(("self", "tensors1", "weights"),), zipped=True,
        cpu_scalars=True,
        errors={
            ("self", "tensors1"): "expected dtype {self.c10} for `end` but got dtype {tensors1.c10}",
            ("self", "weights"): "expected dtype {self.c10} for `weight` but got dtype {weights.c10}",
        },
        source=f"{_MEASURED}; ATen/native/Lerp.cpp",
    ),
    Contract(
        ops=tuple(f"aten._foreach_{name}_" for name in _INTO_SELF), promotes=True, zipped=True, cpu_scalars=True,
        into="self", source=f"{_MEASURED}; ATen/native/ForeachOpsKernels.cpp runs the in-place op per tensor",
    ),
    Contract(
        ops=tuple(f"aten._foreach_{name}" for name in _INTO_SELF), promotes=True, zipped=True, cpu_scalars=True,
        source=f"{_MEASURED}; ATen/native/ForeachOpsKernels.cpp runs the op per tensor",
    ),
    Contract(
        ops=tuple(f"aten._foreach_{name}_" for name in _TO_FLOAT), promotes=True, zipped=True, cpu_scalars=True,
        into="self", floats=True, source=_MEASURED,
    ),
    Contract(ops=tuple(f"aten._foreach_{name}" for name in (*_TO_FLOAT, *_KEEP_DTYPE)), zipped=True, source=_MEASURED),
    Contract(
        ops=("aten._foreach_copy", "aten._foreach_copy_"), zipped=True, any_device=("self", "src"), source=_MEASURED,
    ),
    Contract(
        ops=("aten._foreach_frac", "aten._foreach_frac_"), same=(("self",),), kernels=FLOATS, zipped=True,
        errors={("kernels",): "\"frac_cpu\" not implemented for '{odd}'"}, source=_MEASURED,
    ),
    Contract(
        ops=_FUSED, same=(_FUSED_STATE,), only={"grad_scale": ("float32",), "found_inf": ("float32",)}, zipped=True,
        on=("cpu",), source=_MEASURED,
    ),
    Contract(
        ops=_FUSED, same=(_FUSED_STATE,),
        only={"grad_scale": ("float32",), "found_inf": ("float32",), "state_steps": ("float32",)}, zipped=True,
        error="params, grads, exp_avgs, and exp_avg_sqs must have same dtype, device, and layout",
        source="ATen/native/cuda/fused_adam_impl.cu, FusedSgdKernel.cu: at::native::check_fast_path_restrictions",
    ),
    Contract(
        ops=("aten._amp_foreach_non_finite_check_and_unscale_",),
        only={"found_inf": ("float32",), "inv_scale": ("float32",)},
        errors={
            ("found_inf",): "found_inf must be a float tensor.",
            ("inv_scale",): "inv_scale must be a float tensor.",
        },
        source=f"{_MEASURED}; ATen/native/cuda/AmpKernels.cu",
    ),
    Contract(
        ops=("aten._amp_update_scale_",),
        only={"self": ("float32",), "growth_tracker": ("int32",), "found_inf": ("float32",)},
        errors={
            ("self",): "current_scale must be a float tensor.",
            ("growth_tracker",): "growth_tracker must be an int tensor.",
            ("found_inf",): "found_inf must be a float tensor.",
        },
        source=f"{_MEASURED}; ATen/native/cuda/AmpKernels.cu",
    ),
)
