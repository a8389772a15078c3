"""The private names of torch that several parts need, under names of their own. Those that one file needs stay there.

Each says what public thing would replace it; none of these has one in torch 2.13.
"""

from __future__ import annotations

import torch
from torch._ops import OpOverload
from torch._prims_common import suggest_memory_format
from torch._utils import _LazySeedTracker as LazySeedTracker
from torch.jit import _builtins as jit_builtins
from torch.utils._python_dispatch import TorchDispatchMode as DispatchMode
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map_only, tree_unflatten

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
