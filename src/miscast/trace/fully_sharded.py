"""`fully_shard` (FSDP2) in a world of several ranks: whole parameters instead of shards, in the dtypes of its policy.

Its shards are tensor subclasses that the virtual machine cannot follow. What they do to dtypes is done here:
parameters and inputs are cast before a unit runs, outputs after it, gradients come back in the parameter's own dtype;
and each unit meets the other ranks for its all-gathers and its reduce-scatter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .deals import Deal
from .record import Record, attach, find

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .vm import VirtualMachine

_UNIT = "_miscast_unit"


class Unit:
    """The parameters that one call of `fully_shard` takes over: those of the module that no inner call has."""

    def __init__(self, vm: VirtualMachine, module: torch.nn.Module, options: dict[str, Any]) -> None:
        """Hooks are in place; `options` are those of `fully_shard`."""
        self._gathering: Any = vm.gathering
        policy = options.get("mp_policy")
        self._compute = getattr(policy, "param_dtype", None)
        self._reduce = getattr(policy, "reduce_dtype", None)
        self._output = getattr(policy, "output_dtype", None)
        self._casts_inputs = getattr(policy, "cast_forward_inputs", True)
        self._reshards = options.get("reshard_after_forward") is not False
        self._group = _group_of(options.get("mesh"))
        self._slots = list(_slots(module))
        self._swapped: list[tuple[torch.nn.Module, str, torch.nn.Parameter]] = []
        self._ready = False
        self.syncs = True
        module.register_forward_pre_hook(self._before, prepend=True, with_kwargs=True)
        module.register_forward_hook(self._after, always_call=True)
        for _, _, parameter in self._slots:
            if parameter.requires_grad:
                parameter.register_post_accumulate_grad_hook(self._arrived)

    def _before(self, _: torch.nn.Module, args: Any, kwargs: Any) -> tuple[Any, Any]:
        self._restore()
        self._meet("all_gather_into_tensor", self._compute)
        for owner, name, parameter in self._slots:
            if self._compute is not None and parameter.is_floating_point() and parameter.dtype is not self._compute:
                # The dictionary, as `setattr` takes a Parameter only.
                owner._parameters[name] = parameter.to(self._compute)  # type: ignore[assignment]
                self._swapped.append((owner, name, parameter))
        if self._compute is not None and self._casts_inputs:
            args, kwargs = _cast(args, self._compute), _cast(kwargs, self._compute)
        return args, kwargs

    def _after(self, _: torch.nn.Module, __: Any, output: Any) -> Any:
        self._restore()
        return output if self._output is None else _cast(output, self._output)

    def _restore(self) -> None:
        while self._swapped:
            owner, name, parameter = self._swapped.pop()
            owner._parameters[name] = parameter

    def _arrived(self, _: torch.Tensor) -> None:
        if not self._ready and self.syncs:
            self._ready = True
            # Private; torch has no public word for "when this backward pass is over".
            torch.autograd.Variable._execution_engine.queue_callback(self._over)

    def _over(self) -> None:
        self._ready = False
        if self._reshards:
            self._meet("all_gather_into_tensor", self._compute)
        self._meet("reduce_scatter_tensor", self._reduce or self._compute)

    def _meet(self, op: str, dtype: torch.dtype | None) -> None:
        place = self._gathering.seat(self._group) if self._slots else None
        if place is None:
            return
        seat, group = place
        first = self._slots[0][2]
        count = sum(-(-parameter.numel() // seat.size) for _, _, parameter in self._slots)
        with torch.no_grad():
            shard = torch.empty(count, dtype=dtype or first.dtype, device=first.device)
        like = find(first)
        if dtype is None and like is not None:
            attach(shard, Record(like.device, like.dtype_origin, like.device_origin))
        deal = Deal(gives=[shard] * seat.size, gets=[shard] * seat.size)
        self._gathering.deal(op, group, deal, seat)


def fully_shard(vm: VirtualMachine, modules: Any, **options: Any) -> Any:
    """What the program calls: the same module (or modules), of a class that is also an FSDPModule."""
    for module in modules if isinstance(modules, (list, tuple)) else [modules]:
        if not hasattr(module, _UNIT):
            object.__setattr__(module, _UNIT, Unit(vm, module, options))
            module.__class__ = _sharded(type(module))
    return modules


def _sharded(kind: type) -> type:
    from torch.distributed.fsdp import FSDPModule

    def set_requires_gradient_sync(self: Any, requires: bool, **_: Any) -> None:
        for module in self.modules():
            if hasattr(module, _UNIT):
                getattr(module, _UNIT).syncs = requires

    def nothing(*_: Any, **__: Any) -> None:
        """What steers memory and streams only."""

    own = {name: nothing for name in vars(FSDPModule) if not name.startswith("_")}
    own["set_requires_gradient_sync"] = set_requires_gradient_sync
    return type(f"FSDP{kind.__name__}", (FSDPModule, kind), {**own, "__new__": object.__new__})


def _slots(module: torch.nn.Module) -> Iterator[tuple[torch.nn.Module, str, torch.nn.Parameter]]:
    """Where the parameters are kept, inner units left out."""
    for name, parameter in module._parameters.items():
        if parameter is not None:
            yield module, name, parameter
    for child in module.children():
        if not hasattr(child, _UNIT):
            yield from _slots(child)


def _group_of(mesh: Any) -> Any:
    """The process group that parameters are sharded over: the last dimension of a mesh."""
    return None if mesh is None else mesh.get_group(mesh.ndim - 1)


def _cast(tree: Any, dtype: torch.dtype) -> Any:
    if isinstance(tree, torch.Tensor):
        return tree.to(dtype) if tree.is_floating_point() else tree
    if isinstance(tree, dict):
        return type(tree)((key, _cast(value, dtype)) for key, value in tree.items())
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(_cast(value, dtype) for value in tree))
    return type(tree)(_cast(value, dtype) for value in tree) if isinstance(tree, (list, tuple)) else tree
