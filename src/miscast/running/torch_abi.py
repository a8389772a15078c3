"""Torch's private names: which ones Miscast uses, and, under names of their own, those that several parts use.

A torch that lacks one of them is refused when this module is imported, with one message that names all. A name that one
file uses is touched there. Each says what public thing would replace it; none of these has one in torch 2.13.
"""

from __future__ import annotations

import importlib
from contextlib import suppress
from typing import Any

import torch

_FOR: dict[str, str] = {
    "the dispatcher": """
        _C.DispatchKey _C.DispatchKeySet _C._dispatch_key_parse _C._dispatch_keys _C._dispatch_get_all_op_names
        _C._dispatch_has_kernel_for_dispatch_key _C._dispatch_kernel_for_dispatch_key_is_fallthrough
        _C._dispatch_tls_is_dispatch_key_excluded _C._dispatch_tls_local_exclude_set _C._ExcludeDispatchKeyGuard
        _C._IncludeDispatchKeyGuard _C._SetExcludeDispatchKeyGuard _C._disabled_torch_dispatch_impl library._impls
        _ops.OpOverload _ops.HigherOrderOperator.dispatch _library.custom_ops.OPDEFS _library.fake_impl.set_ctx_getter
        _library.simple_registry.singleton.find _decomp.global_decomposition_table
        utils._python_dispatch.TorchDispatchMode utils._python_dispatch.return_and_correct_aliasing
        _C._functorch.get_unwrapped _C._functorch.is_functorch_wrapped_tensor _C._functorch.peek_interpreter_stack
        _functorch.pyfunctorch.retrieve_current_functorch_interpreter""",
    "autograd": """
        _C._get_tracing_state _C._set_tracing_state _C._current_graph_task_id _C._current_autograd_node
        _C._autograd._get_sequence_nr _C._autograd._push_saved_tensors_default_hooks
        autograd.Variable._execution_engine.queue_callback autograd.graph._engine_run_backward""",
    "tensors": """
        _C.TensorBase _C.StorageBase _C.DisableTorchFunction _C.DisableTorchFunctionSubclass _C._from_dlpack _C._nn
        _C._VariableFunctions _C.Generator _C.Stream _C.Event _GLOBAL_DEVICE_CONTEXT utils._device.DeviceContext
        utils._device._device_constructors utils._foreach_utils utils._pytree.tree_flatten utils._pytree.tree_leaves
        utils._pytree.tree_map_only utils._pytree.tree_unflatten _prims_common.suggest_memory_format
        _neg_view _tensor_str.PRINT_OPTS _utils.ExceptionWrapper _utils._LazySeedTracker _utils._rebuild_tensor
        ops.aten._to_copy ops.aten._scaled_dot_product_efficient_attention ops.aten._scaled_dot_product_flash_attention
        ops.aten._scaled_dot_product_flash_attention_for_cpu _foreach_norm""",
    "modules and training": """
        nn.Module._apply nn.Module._call_impl nn.modules.batchnorm._NormBase
        nn.modules.module._global_forward_hooks_with_kwargs amp.GradScaler._unscale_grads_
        _amp_foreach_non_finite_check_and_unscale_ _amp_update_scale_ jit._builtins
        jit._script.RecursiveScriptModule.save""",
    "devices": """
        cuda._initialized cuda._lazy_seed_tracker cuda._queued_calls""",
}
"""Names, by purpose."""
_ELSEWHERE = """
    _C._distributed_c10d distributed.Backend._plugins testing._internal _dynamo
    _C._get_fp32_precision_getter _C._set_fp32_precision_setter fx._symbolic_trace._is_fx_tracing_flag"""
"""Names that a build or a release may lack: the file that uses them asks for them first, or imports them late."""


def names() -> tuple[str, ...]:
    """Return the private names that every run needs, without "torch."."""
    return tuple(name for some in _FOR.values() for name in some.split())


def missing() -> tuple[str, ...]:
    """Return those that this torch lacks, with "torch."."""
    return tuple(f"torch.{name}" for name in names() if not _has(name))


def _has(name: str) -> bool:
    found: Any = torch
    path = "torch"
    for part in name.split("."):
        path += f".{part}"
        if not hasattr(found, part):
            with suppress(ImportError):
                importlib.import_module(path)  # a module that `import torch` leaves out
        if not hasattr(found, part):
            return False
        found = getattr(found, part)
    return True


def verify() -> None:
    """Raise ImportError, which names all that is missing, for a torch that Miscast does not know."""
    lacking = missing()
    if lacking:
        raise ImportError(
            f"Miscast does not support torch {torch.__version__}, which lacks {', '.join(lacking)}"
        )


verify()

from torch._ops import OpOverload  # noqa: E402 - after the names were verified
from torch._prims_common import suggest_memory_format  # noqa: E402 - after the names were verified
from torch._utils import _LazySeedTracker as LazySeedTracker  # noqa: E402 - after the names were verified
from torch.jit import _builtins as jit_builtins  # noqa: E402 - after the names were verified
from torch.utils._python_dispatch import TorchDispatchMode as DispatchMode  # noqa: E402 - after the names were verified
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map_only, tree_unflatten  # noqa: E402 - after the names were verified

__all__ = [
    "NN", "DispatchKey", "DispatchKeySet", "DispatchMode", "IncludedKeys", "LazySeedTracker",
    "OpOverload", "OwnKeys", "StorageBase", "TensorBase", "WithoutTorchFunction",
    "dispatch_key", "graph_task", "has_kernel", "is_excluded", "jit_builtins", "next_node", "node_at_work",
    "python_kernels", "suggest_memory_format", "tracing_state", "tree_flatten",
    "tree_leaves", "tree_map_only", "tree_unflatten", "when_passed_back",
]  # fmt: skip

# The dispatcher. A public way to stand above autograd (`torch.library` stands below) would replace all of these.
DispatchKey = torch._C.DispatchKey
DispatchKeySet = torch._C.DispatchKeySet
dispatch_key = torch._C._dispatch_key_parse
has_kernel = torch._C._dispatch_has_kernel_for_dispatch_key
is_excluded = torch._C._dispatch_tls_is_dispatch_key_excluded
IncludedKeys = torch._C._IncludeDispatchKeyGuard
OwnKeys = torch._C._SetExcludeDispatchKeyGuard
"""One key, excluded or not while it lives."""
python_kernels = torch.library._impls
"""The kernels that Python code registered: `torch.library` has no list of them."""

# What is going on: `torch.jit.is_tracing` and `torch.autograd` answer for the thread only in part.
tracing_state = torch._C._get_tracing_state
graph_task = torch._C._current_graph_task_id
"""The number of the backward pass at work; -1: none."""
node_at_work = torch._C._current_autograd_node
"""The node whose backward formula is being computed; None: none."""
when_passed_back = torch.autograd.Variable._execution_engine.queue_callback
"""Calls a function at the end of the backward pass at work, when all gradients are there."""
# The profiler numbers nodes by these; the public `Node.metadata` is filled only by anomaly mode, with text.
next_node = torch._C._autograd._get_sequence_nr
"""The number that the next node of a graph gets."""

# The classes below torch.Tensor and its storages: what C++ itself sees, and no subclass overrides.
TensorBase = torch._C.TensorBase
StorageBase = torch._C.StorageBase
WithoutTorchFunction = torch._C.DisableTorchFunction
NN = torch._C._nn
