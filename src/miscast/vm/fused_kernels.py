"""Composite ops for which a device has one kernel: run as that kernel, so that autograd keeps what it keeps there.

Decomposed, as on meta tensors, attention keeps its weights (batch, heads, queries, keys), where the
kernel keeps a float32 per query; dropout keeps what it multiplies by, where the kernel keeps a byte per element.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import torch

from ..core.dtypes import scalar_name
from ..core.event import Violation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..core.machines import Machine
    from .call import Call

_HALVES = (torch.float16, torch.bfloat16)
_SPARSE_KERNELS = {
    **dict.fromkeys(
        ("mm", "matmul", "mv", "addmm", "addmm_", "_sparse_mm", "_sparse_addmm"),
        "addmm_sparse_cuda",
    ),
    "bmm": "bmm_sparse_cuda",
}
"""Products that have an own kernel for a matrix of coordinates (COO) with a dense one on CUDA."""


def fused(call: Call, machine: Machine) -> Any:
    """Return the results of the kernel, the op's own first; None where the device too runs the op's parts."""
    run = None
    if call.device is not None:
        run = _FUSED.get((call.plan.short, call.device.type))
    if run is None:
        return None
    try:
        return run(machine, **dict(call.given()))
    except (RuntimeError, NotImplementedError, AssertionError, IndexError, ValueError):
        return None  # operands that the kernel does not take; the op itself says what is wrong with them


def _attention(  # noqa: PLR0913 - ATen's signature
    machine: Machine,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """Run the kernel that torch chooses; return None if torch would run the op's parts."""
    kernel = attention_kernel(
        machine, (query, key, value), attn_mask, enable_gqa=enable_gqa
    )
    if kernel == "flash":
        return torch.ops.aten._scaled_dot_product_flash_attention(
            query, key, value, dropout_p, is_causal, False, scale=scale
        )
    if kernel != "efficient":
        return None
    bias = _bias(attn_mask, query)
    if bias is not None:
        bias = bias.expand(*query.shape[:2], query.shape[2], key.shape[2])
    keeps = torch.is_grad_enabled() and any(
        t.requires_grad for t in (query, key, value)
    )
    return torch.ops.aten._scaled_dot_product_efficient_attention(
        query, key, value, bias, keeps, dropout_p, is_causal, scale=scale
    )


def attention_kernel(
    machine: Machine,
    given: Sequence[torch.Tensor],
    mask: torch.Tensor | None,
    *,
    enable_gqa: bool = False,
) -> Literal["flash", "efficient", "math"]:
    """Return what ATen/native/transformers/cuda/sdp_utils.cpp chooses for query, key and value.

    Of Intel's GPUs one kernel, oneDNN's (ATen/native/mkldnn/xpu/Attention.cpp), which keeps as much as the efficient
    one: when torch takes its parts there is not known.
    """
    if any(t.dim() != 4 for t in given):
        return "math"
    if machine.device == "xpu":
        return "math" if enable_gqa else "efficient"
    query, key, value = given
    ampere = (machine.capability or (0, 0)) >= (8, 0)
    if (
        ampere
        and mask is None
        and _can_use_flash(query, key, value, enable_gqa=enable_gqa)
    ):
        return "flash"
    if _can_use_efficient(query, key, value, mask, ampere=ampere):
        return "efficient"
    return "math"


def _can_use_flash(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *, enable_gqa: bool
) -> bool:
    wide = query.shape[-1]
    return (
        torch.backends.cuda.flash_sdp_enabled()
        and query.dtype in _HALVES
        and (enable_gqa or query.shape[1] == key.shape[1])
        and wide == value.shape[-1]
        and wide <= 256
        and not wide % 8
    )


def _can_use_efficient(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None,
    *,
    ampere: bool,
) -> bool:
    # Of how many elements head sizes are a multiple, by dtype.
    multiples = {
        torch.float16: 8,
        torch.bfloat16: 8 if ampere else 0,
        torch.float32: 4 if ampere else 1,
    }
    multiple = multiples.get(query.dtype, 0)
    return (
        torch.backends.cuda.mem_efficient_sdp_enabled()
        and multiple > 0
        and not (query.shape[-1] | value.shape[-1]) % multiple
        and query.shape[1] == key.shape[1] == value.shape[1]
        # T5's bias is a permuted view: its attention keeps the weights.
        and all(t.stride(-1) == 1 for t in (query, key, value, mask) if t is not None)
    )


def is_sparse_product(call: Call) -> bool:
    """Check for a product of a matrix of coordinates with a dense one; two sparse ones have kernels for all dtypes."""
    if call.plan.short not in _SPARSE_KERNELS:
        return False
    layouts = {t.layout for t in call.tensors}
    return torch.sparse_coo in layouts and torch.strided in layouts


def without_kernel(call: Call) -> tuple[Violation, ...]:
    """Return the violation of a call on CUDA whose kernels do not take its dtype.

    Attention as ATen/native/transformers/cuda/sdp_utils.cpp chooses; what else its kernels ask of shapes and masks is
    not held. Products with a matrix of coordinates are for full floats alone (ATen/native/sparse/cuda/
    SparseCUDATensorMath.cu; pytorch/pytorch#144040, #136186); those with CSR are cuSPARSE's, which takes halves.
    """
    if call.device is None or call.device.type != "cuda":
        return ()
    if is_sparse_product(call):
        return _sparse_in_half(call)
    return _attention_without_kernel(call) if call.is_attention else ()


def _sparse_in_half(call: Call) -> tuple[Violation, ...]:
    dtype = call.dtypes[0]
    if dtype not in _HALVES:
        return ()
    name, _, _ = next(one for one in call.named() if one[1].is_sparse)
    kernel, scalar = _SPARSE_KERNELS[call.plan.short], scalar_name(str(dtype)[6:])
    error = f"\"{kernel}\" not implemented for '{scalar}'"
    return (_unsupported(name, "float32", error),)


def _attention_without_kernel(call: Call) -> tuple[Violation, ...]:
    dtype, cuda = call.dtypes[0], torch.backends.cuda
    efficient = cuda.mem_efficient_sdp_enabled() and dtype is torch.float32
    if dtype in _HALVES or efficient or cuda.math_sdp_enabled():
        return ()
    error = "No available kernel. Aborting execution."
    return (_unsupported("query", "bfloat16", error),)


def _unsupported(name: str, expected: str, error: str) -> Violation:
    return Violation(kind="unsupported", odd=(name,), expected=expected, error=error)


def _attention_on_cpu(  # noqa: PLR0913 - ATen's signature
    _machine: Machine,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attn_mask: torch.Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """Run flash attention on the CPU if ATen/native/transformers/sdp_utils_cpp.cpp, use_flash_attention_cpp, does."""
    plain = all(
        t.dim() == 4 and t.shape[-1] == query.shape[-1] and t.numel()
        for t in (query, key, value)
    )
    alike = query.shape[1] == key.shape[1] == value.shape[1] and not enable_gqa
    if dropout_p or not (plain and alike and torch.backends.cuda.flash_sdp_enabled()):
        return None
    return torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(
        query,
        key,
        value,
        dropout_p,
        is_causal,
        attn_mask=_bias(attn_mask, query),
        scale=scale,
    )


def _bias(mask: torch.Tensor | None, query: torch.Tensor) -> torch.Tensor | None:
    """Return what kernels add to the weights (ATen/native/transformers/attention.cpp, convert_boolean_attn_mask)."""
    if mask is None or mask.dtype is not torch.bool:
        return mask
    return torch.zeros_like(mask, dtype=query.dtype).masked_fill_(
        mask.logical_not(), float("-inf")
    )


def _dropout(_machine: Machine, input: torch.Tensor, p: float, train: bool) -> Any:  # noqa: A002 - ATen's name
    """Run fused dropout if ATen/native/Dropout.cpp, is_fused_kernel_acceptable, does."""
    if train and 0 < p < 1 and input.numel():
        return torch.ops.aten.native_dropout(input, p, train)
    return None


_FUSED: dict[tuple[str, str], Callable[..., Any]] = {
    ("scaled_dot_product_attention", "cuda"): _attention,
    ("scaled_dot_product_attention", "cpu"): _attention_on_cpu,
    ("scaled_dot_product_attention", "xpu"): _attention,
    ("dropout", "cuda"): _dropout,
    ("dropout", "xpu"): _dropout,
}
