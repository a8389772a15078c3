"""One crossing into a module: floats take the dtype and device that hold inside, and outputs those that hold outside.

A boundary is a pair of forward hooks, or, where it opens or closes an autocast region, stands around the module's whole
call: torch calls hooks after an error, but not after a KeyboardInterrupt. Its methods are what is hooked in, so that
`deepcopy` and `pickle` copy both together, and `torch.compile` traces them.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from . import stand_in
from .meaning import is_mask, keeps_its_dtype
from .tree import mapped


@dataclass(frozen=True, slots=True)
class Original:
    """The state of a module's tensor before a policy was applied."""

    module: nn.Module
    name: str
    dtype: torch.dtype
    device: torch.device


@dataclass(slots=True, eq=False)
class Anchor:
    """A parameter that stands for a region: where it is, inputs go, also after the model was moved or converted."""

    module: nn.Module
    name: str

    def weight(self) -> torch.Tensor | None:
        """Return the parameter; None where a wrapper took it away."""
        return self.module._parameters.get(self.name)


class Running(threading.local):
    """The number of this thread's running calls into the autocast regions of one component."""

    def __init__(self) -> None:
        """Start at depth 0 in each thread. An instance attribute, since Dynamo guards on where it is."""
        self.depth = 0

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return Running, ()  # a copy of a model is not running


@dataclass(slots=True, kw_only=True, eq=False)
class Boundary(stand_in.StandIn):
    """The policy inside one module. `entry` and `output` are None if floats keep their dtype."""

    entry: torch.dtype | None
    output: torch.dtype | None
    autocast: torch.dtype | None
    """The autocast inside: its dtype, float32 to switch it off, None to leave it as it is outside."""
    place: Anchor | None = None
    """Tells the device inside."""
    inside: Anchor | None = None
    """Tells the dtype inside, where `entry` is that of parameters: a pipeline may raise its VAE to float32."""
    outside: Anchor | None = None
    """The same of `output`, where outputs go back to what is around."""
    arguments: tuple[str, ...] = ()
    """The names of the attached module's positional arguments."""
    door: bool = False
    """True if the region is that of the enclosing component. A call from inside it then crosses nothing."""
    running: Running = field(default_factory=Running)
    """Shared by all boundaries of a component."""
    module: nn.Module | None = None
    """The attached module."""
    originals: tuple[Original, ...] = ()

    def attach(self, module: nn.Module) -> None:
        """Wrap the module's call if a region must be opened or closed, else add the necessary hooks."""
        self.module, self.arguments = module, arguments_of(module)
        stand_in.attach(module, self)
        if self.autocast is None:
            module.register_forward_pre_hook(self.enter, with_kwargs=True)
            if self.output:
                module.register_forward_hook(self.leave)

    def enter(
        self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Return the forward pre-hook."""
        self.tell_a_tracer(args, kwargs)
        changed, args, kwargs = self._fitted(
            args, kwargs, self.device(module), self.wants()
        )
        return (args, kwargs) if changed else None

    def leave(self, module: nn.Module, args: tuple[Any, ...], output: Any) -> Any:
        """Return the forward hook."""
        del module, args
        return self._back(output)

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Return the module's call, in its autocast.

        Whatever ends it, also KeyboardInterrupt, the autocast from before is in effect again.
        """
        assert self.module is not None
        self.tell_a_tracer(args, kwargs)
        device = self.device(self.module)
        kind = device.type if device is not None else "cpu"
        enabled = self.autocast != torch.float32
        inside = self.door and self._is_inside(kind)
        _, args, kwargs = self._fitted(
            args, kwargs, device, None if inside else self.wants(), half=not enabled
        )
        if inside:
            return stand_in.plain_call(self.module, args, kwargs)
        dtype = self.autocast if enabled else torch.get_autocast_dtype(kind)
        self.running.depth += enabled
        try:
            with torch.autocast(kind, dtype, enabled=enabled):
                output = stand_in.plain_call(self.module, args, kwargs)
        finally:
            self.running.depth -= enabled
        return self._back(output)

    def _is_inside(self, kind: str) -> bool:
        """Check whether the door's region holds already.

        Its component is running, or what calls it has such an autocast.

        A component that switches autocast off for some of its parts wants it off at their doors, too.
        """
        if self.running.depth > 0:
            return True
        return (
            torch.is_autocast_enabled(kind)
            and torch.get_autocast_dtype(kind) == self.autocast
        )

    def _fitted(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        device: torch.device | None,
        entry: torch.dtype | None,
        *,
        half: bool = True,
    ) -> tuple[bool, tuple[Any, ...], dict[str, Any]]:
        """Return whether the arguments changed, and the arguments as required inside, unchanged objects included.

        Unless `half`, only float64 is cast: which of the others to cast, and where, is autocast's own business.
        """

        def leaf(tensor: torch.Tensor, name: str | None) -> torch.Tensor:
            mine = half or tensor.dtype == torch.float64
            return converted(tensor, entry if mine else None, device, name)

        changed = False
        for index, value in enumerate(args):
            name = self.arguments[index] if index < len(self.arguments) else None
            new = mapped(value, leaf, name)
            if new is not value:
                args = (*args[:index], new, *args[index + 1 :])
                changed = True
        for name, value in kwargs.items():
            new = mapped(value, leaf, name)
            if new is not value:
                kwargs = {**kwargs, name: new}
                changed = True
        return changed, args, kwargs

    def _back(self, output: Any) -> Any:
        """Return the output as it is required outside."""
        if self.output is None:
            return output
        dtype = _now(self.outside, self.output)
        return mapped(output, lambda tensor, _: converted(tensor, dtype, None))

    def wants(self) -> torch.dtype | None:
        """Return what floats become on entering."""
        return _now(self.inside, self.entry)

    def device(self, module: nn.Module) -> torch.device | None:
        """Return where the module works now: where accelerate moves it to, else where its parameter is.

        None if on meta.
        """
        placed = _executes_on(module)
        if placed is None and self.place is not None:
            weight = self.place.weight()
            if weight is not None:
                placed = weight.device
                if placed.type == "meta":
                    placed = _executes_on(self.place.module)
        return placed

    def __deepcopy__(self, memo: dict[int, Any]) -> Boundary:
        import copy

        twin = copy.copy(self)
        memo[id(self)] = twin  # before its modules, which lead back here
        for name in ("place", "inside", "outside", "running", "module"):
            setattr(twin, name, copy.deepcopy(getattr(self, name), memo))
        twin.originals = tuple(
            Original(copy.deepcopy(o.module, memo), o.name, o.dtype, o.device)
            for o in self.originals
        )
        return twin


def _now(anchor: Anchor | None, planned: torch.dtype | None) -> torch.dtype | None:
    """Return the current dtype of a region's parameters; the planned one if there are none."""
    weight = anchor.weight() if anchor is not None and planned is not None else None
    return (
        weight.dtype if weight is not None and weight.is_floating_point() else planned
    )


def converted(
    tensor: torch.Tensor,
    dtype: torch.dtype | None,
    device: torch.device | None,
    name: str | None = None,
) -> torch.Tensor:
    """Return the tensor in a dtype, if it holds floats, and on a device; the very same one if it is so already.

    What its name says goes before: times and positions keep their dtype, and what is finite in a mask stays so.
    """
    if dtype is None or not tensor.is_floating_point() or keeps_its_dtype(name):
        dtype = tensor.dtype
    device = device if device is not None else tensor.device
    if tensor.dtype == dtype and tensor.device == device:
        return tensor
    if is_mask(name) and dtype.itemsize < tensor.dtype.itemsize:
        limits = torch.finfo(dtype)
        tensor = torch.where(
            tensor.isinf(), tensor, tensor.clamp(limits.min, limits.max)
        )
    return tensor.to(device=device, dtype=dtype)


def boundaries(module: nn.Module) -> Iterator[Boundary]:
    """Yield the boundaries at a module itself."""
    hooks: Mapping[int, Any] = module._forward_pre_hooks
    for hook in (*hooks.values(), stand_in.call_of(module)):
        owner = getattr(hook, "__self__", None)
        if isinstance(owner, Boundary):
            yield owner


def detach(module: nn.Module) -> None:
    """Take the boundaries off a module itself."""
    if not any(True for _ in boundaries(module)):
        return
    stand_in.detach(module)
    pairs = (
        (module._forward_pre_hooks, (module._forward_pre_hooks_with_kwargs,)),
        (
            module._forward_hooks,
            (module._forward_hooks_with_kwargs, module._forward_hooks_always_called),
        ),
    )
    for hooks, more in pairs:
        for key in [
            k
            for k, hook in hooks.items()
            if isinstance(getattr(hook, "__self__", None), Boundary)
        ]:
            # what RemovableHandle.remove does; a copied model has no handles
            for table in (hooks, *more):
                table.pop(key, None)


def arguments_of(module: nn.Module) -> tuple[str, ...]:
    """Return the names of forward's positional arguments, as far as they are known."""
    try:
        parameters = inspect.signature(type(module).forward).parameters.values()
    except (TypeError, ValueError):
        return ()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(p.name for p in parameters if p.kind in kinds)[1:]


def _executes_on(module: nn.Module) -> torch.device | None:
    """Return where accelerate runs a module that it keeps elsewhere (accelerate/hooks.py.

    AlignDevicesHook, CpuOffload).
    """
    device = getattr(getattr(module, "_hf_hook", None), "execution_device", None)
    if device is None or isinstance(device, torch.device):
        return device
    return torch.device(device)
