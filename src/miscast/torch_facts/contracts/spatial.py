"""Sampling, pooling and padding, and what their backward formulas get."""

from .contract import FLOATS, LONG, Contract

_MEASURED = "measured on CPU, torch 2.13"
_GRAD_OUTPUT = "expected dtype {like.c10} for `gradOutput` but got dtype {odd.c10}"
_PADS = tuple(f"aten.{kind}_pad{n}d_backward" for kind in ("reflection", "replication") for n in (1, 2, 3))

CONTRACTS = (
    Contract(
        ops=(
            "aten.grid_sampler", "aten.grid_sampler_2d", "aten.grid_sampler_3d",
            "aten._grid_sampler_2d_cpu_fallback", "aten.cudnn_grid_sampler",
        ),
        same=(("input", "grid"),), kernels=FLOATS,
        errors={("kernels",): "\"grid_sampler_2d_cpu_kernel_impl\" not implemented for '{odd}'"}, source=_MEASURED,
    ),
    Contract(
        ops=("aten.grid_sampler_2d_backward", "aten.grid_sampler_3d_backward"),
        same=(("input", "grid", "grad_output"),), source=_MEASURED,
    ),
    Contract(
        ops=("aten._adaptive_avg_pool2d_backward",), same=(("self", "grad_output"),), on=("cpu",),
        error="adaptive_avg_pool2d_backward_out_cpu_template: Expected dtype {like.c10} for `grad_output` but got "
        "dtype {odd.c10}",
        source=_MEASURED,
    ),
    Contract(
        ops=("aten._adaptive_avg_pool2d_backward", "aten._adaptive_avg_pool3d_backward", "aten.avg_pool3d_backward"),
        same=(("self", "grad_output"),), source=_MEASURED,
    ),
    Contract(ops=("aten.avg_pool2d_backward",), same=(("self", "grad_output"),), error=_GRAD_OUTPUT, source=_MEASURED),
    Contract(
        ops=(
            "aten.max_pool2d_with_indices_backward",
            "aten.max_pool3d_with_indices_backward",
            "aten.adaptive_max_pool3d_backward",
        ),
        same=(("self", "grad_output"),), only={"indices": LONG}, error=_GRAD_OUTPUT, source=_MEASURED,
    ),
    Contract(
        ops=("aten.adaptive_max_pool2d_backward",), same=(("self", "grad_output"),), only={"indices": LONG},
        error="expected dtype {like.c10} for `grad_output` but got dtype {odd.c10}", source=_MEASURED,
    ),
    Contract(
        ops=("aten.fractional_max_pool2d_backward", "aten.fractional_max_pool3d_backward"),
        same=(("self", "grad_output"),), only={"indices": LONG}, source=_MEASURED,
    ),
    Contract(
        ops=("aten.fractional_max_pool2d", "aten.fractional_max_pool3d"), same=(("self", "random_samples"),),
        error="Expect _random_samples to have the same dtype as input", source=_MEASURED,
    ),
    Contract(
        ops=("aten.max_unpool2d",), only={"indices": LONG}, same=(("self",),), kernels=FLOATS,
        errors={
            ("indices",): "elements in indices should be type int64 but got: {odd}",
            ("kernels",): "\"max_unpool2d\" not implemented for '{odd}'",
        },
        source=_MEASURED,
    ),
    Contract(
        ops=("aten.max_unpool3d",), only={"indices": LONG}, same=(("self",),), kernels=FLOATS,
        errors={
            ("indices",): "elements in indices should be type int64",
            ("kernels",): "\"max_unpool3d\" not implemented for '{odd}'",
        },
        source=_MEASURED,
    ),
    Contract(ops=_PADS, same=(("grad_output", "self"),), source=_MEASURED),
)
