"""Torch's settings: defaults, modes, seeds, switches of backends, global hooks, how tensors are printed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.modules.module as modules
import torch.optim.optimizer as optimizers

from .setting import Setting, content

if TYPE_CHECKING:
    from collections.abc import Iterator

# Functions of torch._C that read, and those that set; those that this torch has are kept. The public names are
# attributes of torch.backends.*, some of which cannot be read on every build.
# fmt: off
_NAMES = (
    "cudnn_enabled", "cudnn_benchmark", "cudnn_deterministic", "mkldnn_enabled", "mkldnn_deterministic",
    "nnpack_enabled", "cublas_allow_fp16_reduced_precision_reduction", "cublas_allow_bf16_reduced_precision_reduction",
    "cublas_allow_fp16_accumulation", "cpu_allow_fp16_reduced_precision_reduction",
    "math_sdp_allow_fp16_bf16_reduction", "deterministic_fill_uninitialized_memory", "warnAlways", "qengine",
)
_ATTENTION = ("flash", "mem_efficient", "math", "cudnn", "overrideable")
# fmt: on
_SWITCHES = (
    *((f"_get_{name}", f"_set_{name}") for name in _NAMES),
    *((f"_get_{name}_sdp_enabled", f"_set_sdp_use_{name}") for name in _ATTENTION),
)
_NEVER_SET = "never set"
_FUTURE = ("overwrite_module_params_on_conversion", "swap_module_params_on_conversion")


def settings() -> Iterator[Setting]:
    """Yield all settings; those of float32's precision are in `float32_precision`."""
    einsum, mha = sys.modules.get("torch.backends.opt_einsum"), torch.backends.mha
    # fmt: off
    yield Setting("the default dtype", torch.get_default_dtype, torch.set_default_dtype)
    yield Setting("the default device", _default_device, _set_default_device)
    yield Setting("grad mode", torch.is_grad_enabled, torch.set_grad_enabled)
    yield Setting("torch's random state", torch.get_rng_state, torch.set_rng_state)
    yield Setting("deterministic mode", torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode)
    yield Setting("anomaly mode", _anomaly, lambda before: torch.autograd.set_detect_anomaly(*before))
    yield Setting("the number of threads", torch.get_num_threads, torch.set_num_threads)
    yield Setting("the autocast cache", torch.is_autocast_cache_enabled, torch.set_autocast_cache_enabled)
    yield from map(_autocast, ("cpu", "cuda"))
    yield Setting("flushing of denormal numbers", _flushes, torch.set_flush_denormal)
    yield _switches()
    yield _state("how tensors are printed", torch._tensor_str.PRINT_OPTS)
    yield _future()
    yield from _hooks()
    if einsum is not None:
        yield Setting("opt_einsum", lambda: (einsum.enabled, einsum.strategy), lambda b: _set_einsum(einsum, b))
    yield Setting("the fast path of attention", mha.get_fastpath_enabled, mha.set_fastpath_enabled)
    # fmt: on


def _default_device() -> Any:
    """Return the device; None after `set_default_device(None)`, which torch 2.6 tells from one never set."""
    if not hasattr(torch._GLOBAL_DEVICE_CONTEXT, "device_context"):
        return _NEVER_SET
    context = torch._GLOBAL_DEVICE_CONTEXT.device_context
    return None if context is None else context.device


def _set_default_device(device: Any) -> None:
    torch.set_default_device(None if device is _NEVER_SET else device)
    if device is _NEVER_SET:
        del torch._GLOBAL_DEVICE_CONTEXT.device_context


def _anomaly() -> tuple[bool, bool]:
    return torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()


def _flushes() -> bool:
    """Check whether the processor flushes denormals; torch can set this mode, but not read it."""
    smallest = float("5e-324")
    return smallest * 1.0 == 0.0


def _autocast(kind: str) -> Setting:
    def put(before: list[Any]) -> None:
        torch.set_autocast_enabled(kind, before[0])
        torch.set_autocast_dtype(kind, before[1])

    def get() -> list[Any]:
        return [torch.is_autocast_enabled(kind), torch.get_autocast_dtype(kind)]

    return Setting(f"autocast on {kind}", get, put)


def _switches() -> Setting:
    """Return all in one: 19 reads take 5 µs, and as many settings would take ten times that."""
    pairs = [
        (getattr(torch._C, get), getattr(torch._C, put))
        for get, put in _SWITCHES
        if hasattr(torch._C, get) and hasattr(torch._C, put)
    ]

    def put_all(before: list[Any]) -> None:
        for (get, put), value in zip(pairs, before, strict=True):
            if get() != value:
                put(*value) if isinstance(value, tuple) else put(value)

    return Setting(
        "switches of torch.backends", lambda: [get() for get, _ in pairs], put_all
    )


def _state(name: str, owner: Any) -> Setting:
    return Setting(
        name, lambda: dict(vars(owner)), lambda before: vars(owner).update(before)
    )


def _future() -> Setting:
    future = torch.__future__

    def put(before: list[bool]) -> None:
        for name, value in zip(_FUTURE, before, strict=True):
            getattr(future, f"set_{name}")(value)

    return Setting(
        "torch.__future__",
        lambda: [getattr(future, f"get_{name}")() for name in _FUTURE],
        put,
    )


def _hooks() -> Iterator[Setting]:
    """Yield the hooks on all modules and all optimizers."""
    for owner in (modules, optimizers):
        for name, table in list(vars(owner).items()):
            if name.startswith("_global_") and isinstance(table, dict):
                yield content(f"{owner.__name__}.{name}", table)


def _set_einsum(einsum: Any, before: tuple[Any, Any]) -> None:
    einsum.enabled, einsum.strategy = before
