"""DTensor: what torch does in C++ for speed is done by its own Python parts, so that ops on the shards come back here.

From torch 2.10 on, `dispatchDTensorOp` (torch/csrc/autograd/python_variable.cpp) runs an op on the shards, past the
virtual machine. It leaves to Python what its caches do not know; here that is each op. Older releases do all in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from copy import copy
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch, around
from ....running.torch_abi import OwnKeys, tree_map_only
from ...key import KEY, KEYSET, Exclude
from ...labels import relabelled
from ...provenance.on_behalf import theirs
from ...provenance.record import find

if TYPE_CHECKING:
    from ...machine import VirtualMachine


def _made(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    """Yield the class: a tensor of it is on its shard's device; and its ops."""
    kind: Any = module.DTensor
    make = kind.__new__

    def new(
        cls: type, local_tensor: torch.Tensor, spec: Any, *, requires_grad: bool = False
    ) -> Any:
        vm.dispatcher.wrapped.begin(cls)
        made = make(cls, local_tensor, spec, requires_grad=requires_grad)
        record = find(local_tensor)
        if record is not None and record.device is not None:
            return relabelled(made, record)
        return made

    yield Patch(kind, "__new__", staticmethod(new))
    dispatcher = kind._op_dispatcher
    propagator = dispatcher.sharding_propagator
    fresh = type(propagator.propagate_op_sharding)(
        propagator.propagate_op_sharding_non_cached
    )
    # what it remembers has meshes, whose groups end with a run
    yield Patch(propagator, "propagate_op_sharding", fresh)
    if hasattr(dispatcher, "_dispatch_fast_path_python_tail"):
        vm.dispatcher.wrapped.handlers = handlers = _Handlers(dispatcher)
        yield Patch(dispatcher, "_custom_op_handlers", handlers)


class _Handlers(dict[Any, Callable[..., Any]]):
    """The table of ops that C++ searches first. `claim` makes it find each."""

    def __init__(self, dispatcher: Any) -> None:
        super().__init__()
        self._dispatcher = dispatcher
        self._own: Mapping[Any, Callable[..., Any]] = dispatcher._custom_op_handlers

    def claim(self, op: Any) -> None:
        if op not in self:
            self[op] = self._run

    def _run(self, op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with OwnKeys(KEY, False):
            return theirs(self._own.get(op, self._sharded), op, args, kwargs)

    def _sharded(self, op: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the steps of `dispatchDTensorOp`.

        How the result is sharded, the op on the shards, the result around them.
        """
        d = self._dispatcher
        info = d.unwrap_to_op_info(op, args, kwargs)
        sharding = d._propagate_op_sharding_dispatch_slow_path(
            op, args, kwargs, info, True
        )
        if not hasattr(sharding, "output_spec"):
            return sharding  # a composite op, run as its parts
        info.output_sharding = sharding
        mesh = info.compute_mesh
        takes_part = mesh.get_coordinate() is not None
        local = d._dispatch_get_local_results_slow_path(op, args, info)
        writes = op._schema.name.endswith("_")
        into = not writes and "out" in op._schema.overload_name
        asks = sharding.output_spec is None and op is torch.ops.aten.equal.default
        if writes or into or asks:
            return d._dispatch_fast_path_python_tail(
                op, args, kwargs, mesh, sharding, local, takes_part, writes, into
            )
        out = d.wrap(local, sharding.output_spec)
        if takes_part and op._schema._is_view_op():
            from torch.utils._python_dispatch import return_and_correct_aliasing

            return return_and_correct_aliasing(op, args, kwargs, out)
        return out


def _shapes(_: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    """Patch the computation of the whole result's shape to use meta tensors; torch uses the device's fake tensors."""

    def propagate(own: Any, self: Any, op_schema: Any) -> Any:
        bare = copy(op_schema)
        bare.args_schema = tree_map_only(torch.device, _meta, op_schema.args_schema)
        bare.kwargs_schema = tree_map_only(torch.device, _meta, op_schema.kwargs_schema)
        with Exclude(KEYSET):
            return theirs(own, self, bare)

    kind = module.ShardingPropagator
    yield around(kind, "_propagate_tensor_meta_non_cached", propagate)


def _bare(_: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    """Patch what stands for an operand there: on a mesh of CPUs it would be real, with indices that nobody set."""

    def rebuild(spec: Any) -> torch.Tensor:
        meta = spec.tensor_meta
        return torch.empty_strided(
            meta.shape, meta.stride, dtype=meta.dtype, device="meta"
        )

    yield Patch(module, "_rebuild_tensor_from_dtensor_meta", rebuild)


def _random(_: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    """Patch the random state tracker, which is made once per process, for the device of the first mesh."""
    yield Patch(module, "_rng_tracker", None)


def _meta(_: torch.device) -> torch.device:
    return torch.device("meta")


LATER = {
    "torch.distributed.tensor._api": _made,
    "torch.distributed.tensor._op_schema": _bare,
    "torch.distributed.tensor._random": _random,
    "torch.distributed.tensor._sharding_prop": _shapes,
}
