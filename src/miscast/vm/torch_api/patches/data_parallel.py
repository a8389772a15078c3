"""DistributedDataParallel without its C++ reducer, which wants memory, and units of FullyShardedDataParallel.

The module runs, and each gradient is judged as the reducer would when it puts it into its bucket.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from ....core.dtypes import scalar_name
from ....running.process.patching import Patch, around
from ...collectives.single_rank import NOT_STARTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import ModuleType

    from ...machine import VirtualMachine

_HOOKS = {"fp16_compress_hook": torch.float16, "bf16_compress_hook": torch.bfloat16}
"""torch/distributed/algorithms/ddp_comm_hooks/default_hooks.py."""


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Yield the methods of DistributedDataParallel that reach for the reducer."""
    if not dist.is_available():
        return
    from torch.nn.parallel import DistributedDataParallel as DDP  # noqa: N817 - as everybody calls it

    # torch has it only where there is torch.distributed
    from ...collectives import reducer

    yield Patch(DDP, "__init__", _init(vm))
    yield Patch(DDP, "forward", _forward)
    # what `replicate` calls of it, around a forward that stays the module's own
    yield Patch(DDP, "_pre_forward", _before_forward)
    yield Patch(DDP, "_post_forward", lambda _, output: output)
    yield from reducer.patches()
    yield Patch(DDP, "no_sync", contextmanager(_no_sync))
    yield Patch(DDP, "register_comm_hook", _hooked)
    yield Patch(DDP, "_set_static_graph", lambda self: None)
    yield Patch(DDP, "_get_ddp_logging_data", lambda self: {})
    yield Patch(DDP, "__getstate__", lambda self: {**self.__dict__, "_reducer": None})
    yield Patch(DDP, "__setstate__", torch.nn.Module.__setstate__)


def _init(vm: VirtualMachine) -> Callable[..., None]:
    def init(  # noqa: PLR0913 - torch's signature
        self: Any,
        module: torch.nn.Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool | None = None,
        init_sync: bool = True,
        process_group: Any = None,
        **kwargs: Any,
    ) -> None:
        torch.nn.Module.__init__(self)
        if not dist.is_initialized():
            raise ValueError(NOT_STARTED)
        _one_device(vm, module, device_ids, output_device)
        trained = _trained(module)
        self.module, self.dim = module, dim
        self.device = trained[0].device
        self.device_ids = (
            None if device_ids is None else [vm.indexed(d).index for d in device_ids]
        )
        self.output_device = output_device
        mesh = kwargs.get("device_mesh")
        own_group = process_group if mesh is None else mesh.get_group()
        self.process_group = own_group or dist.group.WORLD
        self.broadcast_buffers = broadcast_buffers is not False
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.find_unused_parameters = kwargs.get("find_unused_parameters", False)
        self.static_graph = kwargs.get("static_graph", False)
        self.gradient_as_bucket_view = kwargs.get("gradient_as_bucket_view", False)
        self.mixed_precision = kwargs.get("mixed_precision")
        self.parameters_to_ignore = set(
            getattr(module, "_ddp_params_and_buffers_to_ignore", ())
        )
        self._synchronising = True
        self._join_config = None
        self._comm_hook = "allreduce_hook"
        # what the reducer allocated: later casts do not reach it
        buckets = [(p, p.dtype) for p in trained]
        for parameter, dtype in buckets:
            parameter.register_post_accumulate_grad_hook(_reduced(vm, self, dtype))
        self._reducer = None
        if vm.gathering is not None:
            from ...collectives.reducer import Reducer

            self._reducer = Reducer(vm.gathering, self, trained, sync=init_sync)

    return init


def _trained(module: torch.nn.Module) -> list[torch.nn.Parameter]:
    trained = [p for p in module.parameters() if p.requires_grad]
    if not trained:
        raise RuntimeError(
            "DistributedDataParallel is not needed when a module doesn't have any parameters that require a gradient."
        )
    return trained


def _one_device(
    vm: VirtualMachine, module: torch.nn.Module, device_ids: Any, output_device: Any
) -> None:
    """Report a module that was left on the CPU, and move it; torch refuses others for good."""
    devices = {p.device for p in module.parameters()}
    on_host = all(one.type == "cpu" for one in devices)
    if not device_ids or (len(devices) == 1 and not on_host):
        return
    text = (
        "DistributedDataParallel device_ids and output_device arguments only work with "
        "single-device/multiple-device GPU modules or CPU modules, "
        f"but got device_ids {device_ids}, output_device {output_device}, and module parameters {devices}."
    )
    if not on_host:
        raise ValueError(text)
    device, first = vm.indexed(device_ids[0]), next(module.parameters())
    vm.recorder.refused(
        "DistributedDataParallel",
        "module",
        {"module": first},
        str(device),
        text,
        kind="device",
        raises="ValueError",
    )
    module.to(device)


def _reduced(
    vm: VirtualMachine, ddp: Any, dtype: torch.dtype
) -> Callable[[torch.Tensor], None]:
    """Return the reducer's look at a gradient that is ready (torch/csrc/distributed/c10d/reducer.cpp)."""

    def ready(parameter: torch.Tensor) -> None:
        grad = parameter.grad
        if grad is None or not ddp._synchronising:
            return
        if (reduced := _reduced_in(ddp, dtype)) is not None:
            vm.observed.reduction(parameter, reduced)
        if grad.dtype is dtype:
            return
        names = [scalar_name(str(d)[6:]) for d in (dtype, grad.dtype)]
        error = f"Expected {names[0]}, got {names[1]}"
        operands = {"param": parameter, "grad": grad}
        op, expected = "DistributedDataParallel.reduce", str(dtype)[6:]
        vm.recorder.refused(op, "grad", operands, expected, error, like="param")

    return ready


def _hooked(self: Any, _state: Any, hook: Any) -> None:
    """Record the hook's name; a hook needs a bucket with memory, but the effect of torch's own on dtypes is known."""
    self._comm_hook = getattr(hook, "__name__", "")


def _reduced_in(ddp: Any, dtype: torch.dtype) -> torch.dtype | None:
    """Return what the gradients of a bucket of this dtype are reduced in.

    None where a hook of the program's decides.
    """
    own: torch.dtype = getattr(ddp.mixed_precision, "reduce_dtype", None) or dtype
    return own if ddp._comm_hook == "allreduce_hook" else _HOOKS.get(ddp._comm_hook)


def _forward(self: Any, *inputs: Any, **kwargs: Any) -> Any:
    inputs, kwargs = _before_forward(self, *inputs, **kwargs)
    return self.module(*inputs, **kwargs)


def _before_forward(self: Any, *inputs: Any, **kwargs: Any) -> Any:
    """Send the inputs to the module's device, as torch does."""
    self._synchronising = torch.is_grad_enabled() and self.require_backward_grad_sync
    if self._reducer is not None and torch.is_grad_enabled():
        self._reducer.joining()
    if self.device_ids:
        device = torch.device(self.device.type, self.device_ids[0])
        inputs, kwargs = _sent(inputs, device), _sent(kwargs, device)
    return inputs, kwargs


def _sent(tree: Any, device: torch.device) -> Any:
    if isinstance(tree, torch.Tensor):
        return tree.to(device)
    if isinstance(tree, dict):
        return type(tree)((k, _sent(v, device)) for k, v in tree.items())
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(_sent(v, device) for v in tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(_sent(v, device) for v in tree)
    return tree


def _no_sync(self: Any) -> Iterator[None]:
    before = self.require_backward_grad_sync
    self.require_backward_grad_sync = False
    try:
        yield
    finally:
        self.require_backward_grad_sync = before


def _flattening(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    def validate(original: Any, self: Any, tensors: Sequence[torch.Tensor]) -> Any:
        """Report the first parameter with another dtype than the first, and go on with all in that one."""
        dtype = tensors[0].dtype
        others = [n for n, one in enumerate(tensors) if one.dtype is not dtype]
        if others and dtype.is_floating_point:
            odd = tensors[others[0]].dtype
            operands = {f"params[{n}]": tensors[n] for n in (0, others[0])}
            first, second = operands
            vm.recorder.refused(
                "FullyShardedDataParallel",
                second,
                operands,
                str(dtype)[6:],
                f"Must flatten tensors with uniform dtype but got {dtype} and {odd}",
                like=first,
                raises="ValueError",
            )
            for number in others:
                tensors[number].data = tensors[number].data.to(dtype)
        return original(self, tensors)

    yield around(module.FlatParamHandle, "_validate_tensors_to_flatten", validate)


LATER = {"torch.distributed.fsdp._flat_param": _flattening}
