"""Modules of torch: what they look at in Python before any op, what they are called with, the memory of their buffers.

Where they look at dtypes or kernels, the op's own contract judges instead. The replicas of `torch.nn.DataParallel` run
one after another: one device at a time, and findings in one order.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch.nn.parallel  # loads the module that is patched, whose name a function of it hides
from torch.nn.modules.rnn import RNNBase

from ....running.process.patching import Patch, around
from ...memory import become
from ...memory_ledger import BUFFERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch the dtype test of RNNs, the fast path of transformer layers, buffers, replicas, and `--assume`'s calls."""
    yield around(RNNBase, "check_input", _shapes_only)
    yield Patch(torch.backends.mha, "get_fastpath_enabled", lambda: False)
    for name in ("register_buffer", "_apply"):
        yield around(torch.nn.Module, name, _with_buffers)
    replicas = sys.modules["torch.nn.parallel.parallel_apply"]
    yield around(replicas, "parallel_apply", _in_turn)
    assumed = vm.numerics.assumptions
    if assumed.ranges:
        yield around(torch.nn.Module, "__call__", _assuming, assumed)


def _shapes_only(
    original: Callable[..., None],
    self: RNNBase,
    input: torch.Tensor,  # noqa: A002 - torch's name
    batch_sizes: Any,
) -> None:
    # a replica of DataParallel has no parameters
    weight: Any = self._flat_weights[0]
    if input.dtype != weight.dtype:
        input = input.to(weight.dtype)  # noqa: A001
    original(self, input, batch_sizes)


def _with_buffers(
    original: Callable[..., Any], self: torch.nn.Module, *args: Any, **kwargs: Any
) -> Any:
    out = original(self, *args, **kwargs)
    for buffer in self._buffers.values():
        become(buffer, BUFFERS)
    return out


def _assuming(
    assumed: Any,
    original: Callable[..., Any],
    self: torch.nn.Module,
    /,
    *args: Any,
    **kwargs: Any,
) -> Any:
    assumed.arguments(self.forward, args, kwargs)
    return original(self, *args, **kwargs)


def _in_turn(
    together: Callable[..., Any],
    modules: Sequence[Any],
    inputs: Sequence[Any],
    kwargs_tup: Any = None,
    devices: Any = None,
) -> list[Any]:
    if len(modules) != len(inputs):
        # torch's own error
        return list(together(modules, inputs, kwargs_tup, devices))
    outputs: list[Any] = []
    for i, module in enumerate(modules):
        options = None if kwargs_tup is None else kwargs_tup[i : i + 1]
        at = None if devices is None else devices[i : i + 1]
        outputs += together([module], [inputs[i]], options, at)
    return outputs
