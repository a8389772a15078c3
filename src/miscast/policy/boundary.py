"""One crossing into a module: floats take the dtype and device that hold inside, and outputs those that hold outside.

A boundary is a pair of forward hooks. Its methods are the hooks, so that `deepcopy` and `pickle` copy both together,
and `torch.compile` traces them. Threads that share a model share its boundaries: their autocast must be alike outside.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

# What `with torch.autocast(...)` becomes in a compiled graph; the context manager itself cannot be entered in one hook
# and left in another there. A public pair of functions would replace them (torch/amp/autocast_mode.py, torch 2.6-2.13).
from torch.amp.autocast_mode import _enter_autocast, _exit_autocast

from .kept import ARGUMENTS
from .tree import mapped


@dataclass(frozen=True, slots=True)
class Original:
    """What a tensor of a module was before a policy was applied."""

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
        """The parameter; None where a wrapper took it away."""
        return self.module._parameters.get(self.name)


@dataclass(slots=True, kw_only=True, eq=False)
class Boundary:
    """What holds inside one module. `entry` and `output` are None where floats keep their dtype."""

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
    arguments: tuple[str, ...]
    """The names of the positional arguments."""
    originals: tuple[Original, ...] = ()
    entered: list[Any] = field(default_factory=list)
    """The autocast regions that are open now, the innermost last."""

    def attach(self, module: nn.Module) -> None:
        """Add the hooks that are needed: none on the way out where nothing happens there."""
        module.register_forward_pre_hook(self.enter, with_kwargs=True)
        if self.autocast or self.output:
            module.register_forward_hook(self.leave, with_kwargs=True, always_call=self.autocast is not None)

    def enter(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The forward pre-hook."""
        device, entry = self.device(module), self.wants()

        def leaf(tensor: torch.Tensor, name: str | None) -> torch.Tensor:
            return converted(tensor, None if name in ARGUMENTS else entry, device)

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
        if self.autocast is not None:
            enabled = self.autocast != torch.float32
            kind = device.type if device is not None else "cpu"
            dtype = self.autocast if enabled else torch.get_autocast_dtype(kind)
            self.entered.append(_enter_autocast(kind, dtype, enabled, None))
        return (args, kwargs) if changed else None

    def leave(self, module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> Any:
        """The forward hook; it is called after an error, too, so that autocast ends."""
        del module, args, kwargs
        if self.autocast is not None and self.entered:
            _exit_autocast(self.entered.pop())
        if self.output is None:
            return None
        dtype = _now(self.outside, self.output)
        new = mapped(output, lambda tensor, _: converted(tensor, dtype, None))
        return None if new is output else new

    def wants(self) -> torch.dtype | None:
        """What floats become on entering."""
        return _now(self.inside, self.entry)

    def device(self, module: nn.Module) -> torch.device | None:
        """Where the module works now: where accelerate moves it to, else where its parameter is; None if on meta."""
        placed = _executes_on(module)
        if placed is None and self.place is not None:
            weight = self.place.weight()
            if weight is not None:
                placed = weight.device if weight.device.type != "meta" else _executes_on(self.place.module)
        return placed

    def __deepcopy__(self, memo: dict[int, Any]) -> Boundary:
        import copy

        originals = tuple(
            Original(copy.deepcopy(o.module, memo), o.name, o.dtype, o.device) for o in self.originals
        )
        place, inside, outside = (copy.deepcopy(each, memo) for each in (self.place, self.inside, self.outside))
        twin = Boundary(
            entry=self.entry, output=self.output, autocast=self.autocast, place=place, inside=inside, outside=outside,
            arguments=self.arguments, originals=originals,
        )  # fmt: skip
        memo[id(self)] = twin
        return twin


def _now(anchor: Anchor | None, planned: torch.dtype | None) -> torch.dtype | None:
    """The dtype of a region's parameters now; what was planned, where they do not tell."""
    weight = anchor.weight() if anchor is not None and planned is not None else None
    return weight.dtype if weight is not None and weight.is_floating_point() else planned


def converted(tensor: torch.Tensor, dtype: torch.dtype | None, device: torch.device | None) -> torch.Tensor:
    """The tensor in a dtype, if it holds floats, and on a device; the very same one if it is so already."""
    dtype = dtype if dtype is not None and tensor.is_floating_point() else tensor.dtype
    device = device if device is not None else tensor.device
    if tensor.dtype == dtype and tensor.device == device:
        return tensor
    return tensor.to(device=device, dtype=dtype)


def boundaries(module: nn.Module) -> Iterator[Boundary]:
    """The boundaries at a module itself."""
    hooks: Mapping[int, Any] = module._forward_pre_hooks
    for hook in hooks.values():
        owner = getattr(hook, "__self__", None)
        if isinstance(owner, Boundary):
            yield owner


def detach(module: nn.Module) -> None:
    """Take the boundaries off a module itself."""
    pairs = (
        (module._forward_pre_hooks, (module._forward_pre_hooks_with_kwargs,)),
        (module._forward_hooks, (module._forward_hooks_with_kwargs, module._forward_hooks_always_called)),
    )
    for hooks, more in pairs:
        for key in [k for k, hook in hooks.items() if isinstance(getattr(hook, "__self__", None), Boundary)]:
            for table in (hooks, *more):  # what RemovableHandle.remove does; a copied model has no handles
                table.pop(key, None)


def arguments_of(module: nn.Module) -> tuple[str, ...]:
    """The names of forward's positional arguments, as far as they are known."""
    try:
        parameters = inspect.signature(type(module).forward).parameters.values()
    except (TypeError, ValueError):
        return ()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return tuple(p.name for p in parameters if p.kind in kinds)[1:]


def _executes_on(module: nn.Module) -> torch.device | None:
    """Where accelerate runs a module that it keeps elsewhere (accelerate/hooks.py: AlignDevicesHook, CpuOffload)."""
    device = getattr(getattr(module, "_hf_hook", None), "execution_device", None)
    if device is None or isinstance(device, torch.device):
        return device
    return torch.device(device)
