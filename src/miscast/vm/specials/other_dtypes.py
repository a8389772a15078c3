"""Ops whose meta kernel is of another mind about dtypes than the kernels that real devices run (torch 2.13).

Each is judged as itself, and run as a function that says what the device's kernel says.
"""

from __future__ import annotations

import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ...running.torch_abi import graph_task
from ..call import Call
from ..labels import relabelled
from ..provenance.record import find, is_tensor
from .factories import make

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..dispatch import Dispatcher
    from ..schema import Args, Kwargs, Plan

    Handler = Callable[[Dispatcher, Plan, tuple[Any, ...], dict[str, Any]], Any]

_STATISTICS = frozenset({"mean", "rstd", "save_mean", "save_invstd"})
_ADA, _MI300 = (8, 9), (9, 4)
# aten/src/ATen/native/cuda/ScaledBlas.cpp, _scaled_mm_allowed_device
_ERROR = "torch._scaled_mm is only supported on CUDA devices with compute capability >= 9.0 or 8.9, or ROCm MI300+"
_FLOAT4 = getattr(torch, "float4_e2m1fn_x2", None)
_PARAMETERS = ("weight", "bias", "running_mean", "running_var")


def normal(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Run `torch.normal(mean, std)` with a result of the dtype of `mean`; the meta kernel promotes."""
    if plan.device is not None:
        return make(d, plan, args, kwargs)
    if plan.name != "aten.normal.Tensor_Tensor":
        return judged(d, plan, args, kwargs, plan.op)
    return judged(
        d,
        plan,
        args,
        kwargs,
        lambda mean, std, **given: plan.op(mean, std, **given).to(mean.dtype),
    )


def dropout_backward(
    grad_output: torch.Tensor, mask: torch.Tensor, scale: float
) -> torch.Tensor:
    """Return the kernel multiplies; the meta kernel says the gradient's dtype."""
    return grad_output * mask * scale


def ldexp(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return what the operands promote to.

    The meta kernel multiplies with powers of the default dtype, as torch once did.
    """

    def run(self: torch.Tensor, other: torch.Tensor) -> Any:
        out, dtype = plan.op(self, other), torch.result_type(self, other)
        return out.to(dtype) if dtype.is_floating_point else out

    return judged(
        d, plan, args, kwargs, plan.op if plan.composite or plan.writes else run
    )


def addr(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return the kernel promotes tensors without dimensions like all others; the meta kernel does not."""

    def run(
        self: torch.Tensor, vec1: torch.Tensor, vec2: torch.Tensor, **given: Any
    ) -> Any:
        full = self.expand(*vec1.shape, *vec2.shape) if self.dim() == 0 else self
        return plan.op(full, vec1, vec2, **given)

    return judged(d, plan, args, kwargs, plan.op if plan.writes else run)


def baddbmm(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return the meta kernel takes `out_dtype`, where there is one, for `beta`."""

    def run(
        _: torch.Tensor,
        batch1: torch.Tensor,
        batch2: torch.Tensor,
        dtype: torch.dtype,
        **given: Any,
    ) -> Any:
        out = given.get("out")
        if out is None:
            return batch1.new_empty((*batch1.shape[:2], batch2.shape[2]), dtype=dtype)
        return out

    return judged(
        d,
        plan,
        args,
        kwargs,
        run if plan.name.rpartition(".")[2].startswith("dtype") else plan.op,
    )


def packed_product(x: torch.Tensor, w: torch.Tensor, *_: Any) -> torch.Tensor:
    """Return the product with packed int4 weights; the meta kernel asks for a device that fake tensors alone have."""
    rows = w.size(0) * 8 if w.dim() == 4 else w.size(0)  # tiles of 8 rows on CUDA
    return x.new_empty(x.size(0), rows)


def masked_index(op: Any, self: torch.Tensor, mask: torch.Tensor, *rest: Any) -> Any:
    """Convert a mask of any dtype to bool, which the meta kernel requires."""
    return op(self, mask.to(torch.bool), *rest)


def statistics(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Return a norm's mean and deviation; on the CPU in the input's dtype, or float32 if mixed with others.

    ATen/native/cpu/mixed_data_type.h, `param_scalar_type`; the meta kernels say what CUDA does.
    """

    def run(first: torch.Tensor, *rest: Any, **given: Any) -> Any:
        out, *found = plan.op(first, *rest, **given)
        if d.last_device.type == "cpu":
            mixed = any(
                is_tensor(t) and t.dtype is not first.dtype
                for t in (*rest, *given.values())
            )
            found = [t.to(torch.float32 if mixed else first.dtype) for t in found]
        return (out, *found)

    return judged(d, plan, args, kwargs, run)


def statistics_backward(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Run the backward of a norm with statistics recast to the CPU's dtypes, as above."""
    given = dict(zip(plan.names, args, strict=False)) | kwargs
    first = given["input"]
    if graph_task() != -1 and d.last_device.type == "cpu":
        parameters = [t for t in map(given.get, _PARAMETERS) if is_tensor(t)]
        mixed = any(t.dtype is not first.dtype for t in parameters)  # type: ignore[union-attr]
        for name in _STATISTICS & given.keys():
            if is_tensor(given[name]):
                given[name] = _recast(
                    given[name], torch.float32 if mixed else first.dtype
                )
    return d.run(Call(plan, tuple(given[name] for name in plan.names), {}))


def grouped_mm(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Run the grouped product of mixtures of experts in any dtype; the meta kernel knows bfloat16 alone."""
    shaped = copy.copy(plan)
    shaped.op = _grouped  # type: ignore[assignment]
    call = Call(shaped, args, kwargs)
    call.known = False
    return d.run(call)


def _grouped(
    left: torch.Tensor,
    right: torch.Tensor,
    offs: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    out_dtype: torch.dtype | None = None,
) -> torch.Tensor:
    """Multiply; `offs` cuts the rows of a flat `left`, the columns of a flat `right`, or what both share."""
    if left.dim() == right.dim() == 3:
        out = torch.bmm(left, right)
    elif left.dim() == right.dim() == 2:
        groups = 1 if offs is None else offs.numel()
        out = torch.mm(left, right).expand(groups, -1, -1).clone()
    else:
        out = torch.mm(
            left if left.dim() == 2 else left[0],
            right if right.dim() == 2 else right[0],
        )
    out = out if bias is None else out + bias
    return out if out_dtype is None else out.to(out_dtype)


def scaled(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    """Report a GPU without scaled products of float8 and float4 (before Ada, MI300), then run it as on a newer one."""
    call = Call(plan, args, kwargs)
    machine = d.vm.machine
    first = _MI300 if machine.hip else _ADA
    if (
        call.device is not None
        and call.device.type == "cuda"
        and (machine.capability or first) < first
    ):
        operands = {name: tensor for name, tensor, _ in call.named()}
        odd = next(iter(operands))
        d.recorder.refused(
            plan.short, odd, operands, "bfloat16", _ERROR, kind="unsupported"
        )
    given = dict(zip(plan.names, args, strict=False)) | kwargs

    def product(self: torch.Tensor, mat2: torch.Tensor, *_: Any, **__: Any) -> Any:
        dtype = given.get("out_dtype") or self.dtype
        return self.new_empty((self.shape[0], mat2.shape[1]), dtype=dtype)

    # the meta kernel counts the scales of two packed numbers as those of one (torch 2.13, MX); the device's does not
    packed = given["self"].dtype is _FLOAT4
    return judged(d, plan, args, kwargs, product if packed else plan.op)


def _recast(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    out = tensor.to(dtype)
    return out if out is tensor else relabelled(out, find(tensor))


def judged(
    d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs, function: Callable[..., Any]
) -> Any:
    """Check the op as itself, and run it as a function of its arguments."""
    if function is plan.op:
        return d.run(Call(plan, args, kwargs))
    shaped = copy.copy(plan)
    shaped.op = function  # type: ignore[assignment] # the plan of the op, with another way to run it
    return d.run(Call(shaped, args, kwargs))


def _as(function: Callable[..., Any]) -> Handler:
    return lambda d, plan, args, kwargs: judged(d, plan, args, kwargs, function)


def _masked(d: Dispatcher, plan: Plan, args: Args, kwargs: Kwargs) -> Any:
    return judged(d, plan, args, kwargs, partial(masked_index, plan.op))


SPECIALS = {
    "normal": normal,
    "native_dropout_backward": _as(dropout_backward),
    "ldexp": ldexp,
    "addr": addr,
    "baddbmm": baddbmm,
    "_grouped_mm": grouped_mm,
    "_scaled_mm": scaled,
    "_scaled_mm_v2": scaled,
    "_unsafe_masked_index": _masked,
    "_weight_int4pack_mm": _as(packed_product),
    "_unsafe_masked_index_put_accumulate": _masked,
    **dict.fromkeys(
        ("native_layer_norm_backward", "native_batch_norm_backward", "native_group_norm_backward"),
        statistics_backward,
    ),
    **dict.fromkeys(
        ("native_layer_norm", "native_batch_norm", "native_group_norm", "_native_batch_norm_legit"), statistics,
    ),
}  # fmt: skip
