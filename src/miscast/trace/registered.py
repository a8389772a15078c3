"""Ops that Python code registered (`torch.library`): their kernels are the program's code, and run op by op.

    @torch.library.custom_op("mylib::scale", mutates_args=())
    def scale(x: torch.Tensor) -> torch.Tensor:
        return x * 2                                    # judged like any other line; no fake is needed
"""

from __future__ import annotations

import torch

_TORCHS = frozenset(
    {
        "_c10d_functional", "_c10d_functional_autograd", "_dtensor", "_inductor_test", "_native", "aten", "bucketing",
        "c10d", "c10d_functional", "debug_mode_ops", "debugprims", "dtensor", "export", "flex_lib", "fsdp", "inductor",
        "inductor_prims", "mkl", "mkldnn", "onednn", "onnx", "onnx_symbolic", "prim", "prims", "quantized",
        "quantized_decomposed", "rngprims", "streams", "symm_mem",
    }
)  # fmt: skip
"""Namespaces of torch itself: their kernels in Python are for meta tensors, or for devices that do not exist here."""
_BACKENDS = {"cpu": "CPU", "cuda": "CUDA", "mps": "MPS", "xpu": "XPU", "npu": "PrivateUse1"}
_FOR_ALL = "CompositeExplicitAutograd"


def is_registered(op: torch._ops.OpOverload) -> bool:
    """Whether code outside of torch made the op."""
    return op.namespace not in _TORCHS


def kernel(op: torch._ops.OpOverload, device: str, *, autocast: bool) -> torch._C.DispatchKeySet | None:
    """Where a call on a kind of device goes on, below the virtual machine; None unless its kernel is Python's.

    Above the kernel are the op's own formula for autograd, and, in an `autocast` region, its own rule for that.
    """
    backend = _BACKENDS.get(device)
    if backend is None or not any(_has(op, key) for key in (backend, _FOR_ALL)):
        return None
    keys = torch._C.DispatchKeySet(torch._C._dispatch_key_parse(backend))
    keys |= torch._C.DispatchKeySet(torch._C._dispatch_key_parse(f"Autograd{backend}"))
    if autocast and _has(op, f"Autocast{backend}"):
        keys |= torch._C.DispatchKeySet(torch._C._dispatch_key_parse(f"Autocast{backend}"))
    return keys


def has_fake(op: torch._ops.OpOverload) -> bool:
    """Whether the op can be run without its kernel."""
    made = torch._library.custom_ops.OPDEFS.get(op.name())
    if made is not None:
        return made._abstract_fn is not None
    return torch._library.simple_registry.singleton.find(op.name()).fake_impl.kernel is not None or _has(op, "Meta")


def _has(op: torch._ops.OpOverload, key: str) -> bool:
    return f"{op.name().replace('::', '/')}/{key}" in torch.library._impls
