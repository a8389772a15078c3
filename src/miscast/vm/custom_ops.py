"""Ops that Python code registered (`torch.library`): their kernels are the program's code, and run op by op.

@torch.library.custom_op("mylib::scale", mutates_args=())
def scale(x: torch.Tensor) -> torch.Tensor:
    return x * 2                                    # judged like any other line; no fake is needed
"""

from __future__ import annotations

from contextlib import contextmanager
from math import prod
from typing import TYPE_CHECKING, Any

import torch
from torch._library import fake_impl

from ..core.event import Violation
from ..running.process.patching import Patch, applied
from ..running.torch_abi import (
    DispatchKeySet,
    OpOverload,
    dispatch_key,
    has_kernel,
    python_kernels,
)
from .provenance.record import PACKED, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .call import Call

_TORCHS = frozenset({
    "_c10d_functional", "_c10d_functional_autograd", "_dtensor", "_inductor_test",
    "_native", "aten", "bucketing", "c10d", "c10d_functional", "debug_mode_ops",
    "debugprims", "dtensor", "export", "flex_lib", "inductor", "inductor_prims", "mkl",
    "mkldnn", "onednn", "onnx", "onnx_symbolic", "prim", "prims", "quantized",
    "quantized_decomposed", "rngprims", "streams", "symm_mem",
})  # fmt: skip
"""Namespaces of torch itself: their kernels in Python are for meta tensors, or for devices that do not exist here."""
_BACKENDS = {
    "cpu": "CPU", "cuda": "CUDA", "mps": "MPS", "xpu": "XPU", "npu": "PrivateUse1",
}  # fmt: skip
_FOR_ALL = "CompositeExplicitAutograd"
_NATIVE = frozenset({"bitsandbytes"})
"""Namespaces whose kernels in Python for GPUs call a library of CUDA's, which ends the process without a GPU."""
_PACKS = "bitsandbytes.quantize_4bit"
_READS = {
    "bitsandbytes.dequantize_4bit": ("A", "shape"),
    "bitsandbytes.gemm_4bit": ("B", "shapeB"),
    "bitsandbytes.gemv_4bit": ("B", "shapeB"),
}
OF_CODES = {_PACKS, *_READS}
_EFFECT = "the codes were converted as if they were numbers: the weights are no longer those that were quantized"
"""bitsandbytes packs codes of four bits into a storage dtype: a cast of that converts numbers that there are not."""


def is_registered(op: OpOverload) -> bool:
    """Check whether code outside of torch made the op."""
    return op.namespace not in _TORCHS


def is_native(op: OpOverload, device: str) -> bool:
    """Check whether a call would end the process here: its fake stands for it."""
    return device != "cpu" and op.namespace in _NATIVE and has_fake(op)


def kernel(op: OpOverload, device: str, *, autocast: bool) -> DispatchKeySet | None:
    """Return the keys with which a call goes on below the virtual machine; None unless its kernel is Python code.

    Above the kernel are the op's own formula for autograd, and, in an `autocast` region, its own rule for that.
    """
    backend = _BACKENDS.get(device)
    if backend is None or not any(_has(op, key) for key in (backend, _FOR_ALL)):
        return None
    keys = DispatchKeySet(dispatch_key(backend))
    keys |= DispatchKeySet(dispatch_key(f"Autograd{backend}"))
    if autocast and _has(op, f"Autocast{backend}"):
        keys |= DispatchKeySet(dispatch_key(f"Autocast{backend}"))
    return keys


def has_fake(op: OpOverload) -> bool:
    """Check whether the op can be run without its kernel."""
    made = torch._library.custom_ops.OPDEFS.get(op.name())
    if made is not None:
        return made._abstract_fn is not None
    return torch._library.simple_registry.singleton.find(
        op.name()
    ).fake_impl.kernel is not None or _has(op, "Meta")


@contextmanager
def sized(tensors: list[torch.Tensor]) -> Iterator[None]:
    """Keep the sizes that real values would decide (`get_ctx()`) from these tensors within the block."""
    kept, context = fake_impl.set_ctx_getter, _Sizes(tensors)

    def given(_: Callable[[], Any]) -> Any:
        return kept(lambda: context)

    with applied([Patch(fake_impl, "set_ctx_getter", given)]):
        yield


class _Sizes:
    """The result of `torch.library.get_ctx()`. All boxes, tokens or points are kept."""

    def __init__(self, tensors: list[torch.Tensor]) -> None:
        self._most = next((tensor.shape[0] for tensor in tensors if tensor.dim()), 1)

    def new_dynamic_size(self, **bounds: Any) -> int:
        """Return a size from `min` to `max`, which are what may be given."""
        size: int = max(self._most, bounds.get("min", 0))
        most = bounds.get("max")
        return size if most is None else min(size, most)

    create_unbacked_symint = new_dynamic_size


def _has(op: OpOverload, key: str) -> bool:
    name = op.name()
    if name in torch._library.custom_ops.OPDEFS:
        # All its kernels are Python's, and `python_kernels` may lack them: where an op is defined
        # again, the end of the first definition takes the names of the second one's kernels too.
        return has_kernel(name, key)
    return f"{name.replace('::', '/')}/{key}" in python_kernels


def packed(name: str, out: Any) -> None:
    """Mark the codes that an op made."""
    record = find(out[0]) if name == _PACKS else None
    if record is not None:
        record.codes = PACKED


def converted(call: Call) -> Violation | None:
    """Return what a kernel reads as codes that was converted since they were packed; they are read byte by byte."""
    given: dict[str, Any] = dict(call.given())
    argument, shape = _READS.get(call.plan.name, ("", ""))
    codes: torch.Tensor | None = given.get(argument)
    record = find(codes) if codes is not None else None
    if codes is None or record is None:
        return None
    before = record.codes
    if not before:
        numbers = 2 * codes.numel() * codes.element_size()
        before = PACKED if numbers - prod(given[shape]) in (0, 1) else "uint8"
    record.codes = PACKED  # reported once
    if before == PACKED:
        return None
    return Violation(
        kind="dtype", odd=(argument,), expected=before, error=_EFFECT, raises=""
    )
