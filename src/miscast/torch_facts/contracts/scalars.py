"""The dtypes to which ops convert the Python numbers among their arguments, by kind of device.

A number that does not fit its dtype raises in `Scalar::to<scalar_t>()` (c10/core/Scalar.h), which is the same code on
every device; the ops differ in the dtype that they ask for. Measured on the CPU with torch 2.13 by
tests/contracts/test_scalars.py; for CUDA read off the kernels named in `source`. Of other devices' kernels nothing is
known, and nothing is said.

    >>> conversions("masked_fill", "cuda")
    {'value': 'own'}
    >>> judge_number("own", "value", -1e9, "float16")
    Overflow(dtype='float16', error='value cannot be converted to type c10::Half without overflow')
    >>> judge_number("own", "value", float("-inf"), "float16")
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

from ...core.dtypes import cpp_name, facts
from .contract import FLOAT8
from .limits import Number, adding_overflows, becomes_infinite, conversion_error, fits

if TYPE_CHECKING:
    from collections.abc import Mapping

Conversion = Literal[
    "own", "negated", "whole", "wide", "stored", "result", "result stored", "cast", "bound", "random",
    "added", "read",
]  # fmt: skip
_REDUCED = frozenset({"float16", "bfloat16", *FLOAT8})
# one op fills complex32 as complex64
_UNMEASURED = frozenset({"complex32", "float8_e8m0fnu", "float4_e2m1fn_x2"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversions:
    """The numbers that some ops take, and what becomes of them.

    own: converted to the dtype of the tensor it goes into, which is that of the result where there is none.
    negated: as own, with the other sign (`sub` adds); whole: as own, integers by way of int64.
    wide: as own, but float16, bfloat16 and float8 are computed in float32.
    stored: as own, but float16 and bfloat16 take any number: too large ones become infinite; float8 takes any too.
    result: as own, in the dtype that the tensors and numbers promote to; `result stored` likewise.
    cast: a tensor of one number is cast; integers wrap, and floats become infinite.
    bound, random: the ends of a range of random numbers, which the dtype must hold.
    added: takes part in the arithmetic, which is done in float32 and never raises.
    read: converted to double whatever the dtype is: it always fits.
    """

    ops: tuple[str, ...]
    numbers: Mapping[str, Conversion]
    on: tuple[str, ...] = ("cpu", "cuda")
    source: str = "measured"


# fmt: off
_CLAMPS = ("clamp", "clamp_", "clip", "clip_", "clamp_min", "clamp_min_", "clamp_max", "clamp_max_")
SCALARS = (
    Conversions(ops=("full", "full_like", "new_full", "fill_diagonal_"), numbers={"fill_value": "own"},
        source="ATen/native/cuda/FillKernel.cu fill_kernel_cuda"),
    Conversions(
        ops=("fill", "fill_", "masked_fill", "masked_fill_", "index_fill", "index_fill_", "scatter", "scatter_"),
        numbers={"value": "own"},
        source="ATen/native/cuda/{FillKernel,Indexing,IndexKernel,ScatterGatherKernel}.cu"),
    Conversions(ops=("constant_pad_nd", "pad"), numbers={"value": "own"},
        source="ATen/native/PadNd.cpp: the result is filled"),
    Conversions(ops=("linspace", "logspace"), numbers={"start": "own", "end": "own"},
        source="ATen/native/cuda/RangeFactories.cu linspace_cuda_out"),
    Conversions(ops=_CLAMPS, numbers={"min": "result", "max": "result"}, on=("cpu",)),
    Conversions(ops=("hardtanh", "hardtanh_"), numbers={"min_val": "whole", "max_val": "whole"}, on=("cpu",)),
    Conversions(ops=_CLAMPS, numbers={"min": "wide", "max": "wide"}, on=("cuda",),
        source="ATen/native/cuda/TensorCompare.cu launch_clamp_scalar"),
    Conversions(ops=("threshold", "threshold_"), numbers={"threshold": "own", "value": "own"}, on=("cuda",),
        source="ATen/native/cuda/ActivationThresholdKernel.cu threshold_kernel_cuda"),
    Conversions(ops=("threshold", "threshold_"), numbers={"threshold": "wide", "value": "own"}, on=("cpu",)),
    Conversions(ops=("where",), numbers={"self": "result stored", "other": "result stored"}, on=("cpu",)),
    Conversions(ops=("where",), numbers={"self": "result", "other": "result"}, on=("cuda",),
        source="ATen/native/TensorCompare.cpp where: scalar_tensor on the condition's device, which fills"),
    Conversions(ops=("scalar_tensor",), numbers={"s": "stored"}, on=("cpu",),
        source="ATen/ScalarOps.cpp fill_inplace"),
    Conversions(ops=("scalar_tensor",), numbers={"s": "own"}, on=("cuda",),
        source="ATen/native/TensorFactories.cpp: it fills"),
    Conversions(ops=("Tensor.__setitem__",), numbers={"s": "stored"},
        source="torch/csrc/autograd/python_variable_indexing.cpp: the number becomes a tensor on the CPU first"),
    Conversions(ops=("add", "add_", "sub", "sub_", "rsub"), numbers={"other": "added"},
        source="ATen/native/cuda/CUDALoops.cuh opmath_symmetric_gpu_kernel_with_scalars"),
    Conversions(ops=("uniform_",), numbers={"from": "bound", "to": "bound"},
        source="ATen/native/DistributionTemplates.h CHECK_OUT_OF_BOUNDS"),
    Conversions(ops=("random_", "randint", "randint_like"),
        numbers={"from": "random", "to": "random", "low": "random", "high": "random"},
        source="ATen/native/DistributionTemplates.h check_from_to_in_range"),
    Conversions(ops=("add", "add_", "index_add", "index_add_"), numbers={"alpha": "own"}, on=("cpu",)),
    Conversions(ops=("sub", "sub_"), numbers={"alpha": "negated"}, on=("cpu",)),
    Conversions(ops=("histc",), numbers={"min": "own", "max": "own"}, on=("cpu",)),
    Conversions(ops=("celu", "celu_"), numbers={"alpha": "wide"}, on=("cpu",)),
    Conversions(ops=("addmm", "addmm_", "baddbmm", "baddbmm_", "addbmm", "addbmm_"),
        numbers={"beta": "wide", "alpha": "wide"}, on=("cpu",)),
    Conversions(ops=("addmv", "addmv_", "addr", "addr_"), numbers={"beta": "own", "alpha": "own"}, on=("cpu",)),
    Conversions(ops=("addcmul", "addcmul_", "addcdiv", "addcdiv_"), numbers={"value": "wide"}, on=("cpu",)),
    Conversions(ops=("lerp", "lerp_"), numbers={"weight": "wide"}, on=("cpu",)),
    Conversions(ops=("leaky_relu", "leaky_relu_"), numbers={"negative_slope": "wide"}, on=("cpu",)),
    Conversions(ops=("elu", "elu_"), numbers={"alpha": "wide", "scale": "wide", "input_scale": "wide"},
        on=("cpu",)),
    Conversions(ops=("softplus",), numbers={"beta": "wide", "threshold": "wide"}, on=("cpu",)),
    Conversions(ops=("hardshrink", "softshrink"), numbers={"lambd": "own"}, on=("cpu",)),
    Conversions(ops=("nan_to_num", "nan_to_num_"), numbers={"nan": "read", "posinf": "read", "neginf": "read"}),
)
# fmt: on
"""Numbers of the ops whose conversion is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Overflow:
    """A number that `dtype` cannot hold. `error` is what torch raises; empty where it says nothing."""

    dtype: str
    error: str = ""


@cache
def conversions(op: str, device: str) -> Mapping[str, Conversion]:
    """Return, by argument, how an op (without overload) converts numbers on a kind of device; empty if unknown."""
    found: dict[str, Conversion] = {}
    for entry in SCALARS:
        if op in entry.ops and device in entry.on:
            found.update(entry.numbers)
    return found


def judge_number(
    conversion: Conversion, argument: str, value: Number, dtype: str
) -> Overflow | None:
    """Check whether a number is too large for what an op does with it.

    `dtype` is that of the tensor it goes into; for `result` that of the promotion of tensors and numbers.
    """
    if dtype in _UNMEASURED or conversion == "read":
        return None
    if conversion in ("bound", "random"):
        return _of_range(argument, value, dtype, conversion)
    if conversion == "added":
        if dtype in _REDUCED and adding_overflows(value, dtype):
            return Overflow(dtype=dtype)
        return None
    if _rounds(conversion, dtype):
        return Overflow(dtype=dtype) if becomes_infinite(value, dtype) else None
    value, dtype = _asked(conversion, value, dtype)
    if fits(value, dtype):
        return None
    return Overflow(dtype=dtype, error=conversion_error(dtype))


def _rounds(conversion: Conversion, dtype: str) -> bool:
    """Check whether the number is rounded to the dtype, in which too large ones are infinite."""
    return conversion == "cast" or (conversion.endswith("stored") and dtype in _REDUCED)


def _asked(conversion: Conversion, value: Number, dtype: str) -> tuple[Number, str]:
    """Return the number that the op converts, and the dtype to which it converts it."""
    if conversion == "wide" and dtype in _REDUCED:
        return value, "float32"
    if (
        conversion == "whole"
        and isinstance(value, float)
        and facts(dtype).kind == "int"
    ):
        return (int(value), dtype) if fits(value, "int64") else (value, "int64")
    if conversion == "negated" and value != -(2**63):  # it wraps
        return -value, dtype
    return value, dtype


def _of_range(
    argument: str, value: Number, dtype: str, conversion: Conversion
) -> Overflow | None:
    held = facts({"complex64": "float32", "complex128": "float64"}.get(dtype, dtype))
    if isinstance(value, complex) or held.kind not in ("float", "int", "bool"):
        return None
    name = {"low": "from", "high": "to"}.get(argument, argument)
    if conversion == "random" and name == "to":
        name, value = "to - 1", value - 1
    if held.min <= value <= held.max:
        return None
    return Overflow(
        dtype=dtype, error=f"{name} is out of bounds for {cpp_name(held.name)}"
    )
