"""Replace methods of a module that has a boundary: the call, and whatever would lose the boundary.

The private names of torch for that are here and nowhere else (torch 2.6 to 2.14). Attributes of the one module stand
before the methods of its class; each is a bound method of its boundary, so that copies and pickles take it along.
"""

from __future__ import annotations

import warnings
from typing import Any

import torch
from torch import nn
from torch.fx import _symbolic_trace

from .fields import PolicyError

_CALL = "_call_impl"
"""The method that `Module.__call__` calls: forward and its hooks. A public hook around both would replace it."""
_GUARDS = {
    "_get_name": "name",
    "__prepare_scriptable__": "scripted",
    "_replicate_for_data_parallel": "replica",
}
"""Methods that `torch.fx`, `torch.jit.script` and `nn.DataParallel` call, and the replacements."""


def _fx_traces() -> bool:
    """Return whether `torch.fx.symbolic_trace` is at work; torch before 2.9 has no function for that."""
    said = getattr(_symbolic_trace, "is_fx_symbolic_tracing", None)
    return bool(_symbolic_trace._is_fx_tracing_flag if said is None else said())


class StandIn:
    """A boundary, as its module's class is asked for it."""

    __slots__ = ()
    module: nn.Module | None
    autocast: torch.dtype | None

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Return the module's call."""
        raise NotImplementedError

    def name(self) -> str:
        """Return the class's name. A `torch.fx` tracer asks its root for it, and calls only its forward."""
        if not torch.compiler.is_compiling() and _fx_traces():
            self._warn()
        return type(self.module).__name__

    def scripted(self) -> nn.Module:
        """Return what `torch.jit.script` should compile in place of the module: nothing."""
        raise PolicyError(
            f"torch.jit.script omits what the policy does around {type(self.module).__name__} (inputs cast, "
            "autocast): use torch.jit.trace, torch.compile or torch.export, which keep it, or call handle.remove() "
            "first"
        )

    def replica(self) -> nn.Module:
        """Return a copy for another device: it would call the original, on the original's device."""
        raise PolicyError(
            f"torch.nn.DataParallel copies {type(self.module).__name__} without what the policy does around it: use "
            "DistributedDataParallel"
        )

    def tell_a_tracer(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Warn where `torch.fx` comes by with placeholders."""
        if torch.compiler.is_compiling() or not _fx_traces():
            return
        if any(
            isinstance(value, torch.fx.Proxy) for value in (*args, *kwargs.values())
        ):
            self._warn()

    def _warn(self) -> None:
        warnings.warn(
            f"torch.fx omits what the policy does around {type(self.module).__name__} (inputs cast, autocast): "
            "trace first and apply the policy to the GraphModule, or use torch.compile or torch.export, which keep "
            "it",
            stacklevel=3,
        )


def attach(module: nn.Module, boundary: StandIn) -> None:
    """Put a boundary's call before the class's where it has a region, and its refusals before what would lose it."""
    if boundary.autocast is not None:
        module.__dict__[_CALL] = boundary.call
    for name, method in _GUARDS.items():
        module.__dict__[name] = getattr(boundary, method)


def detach(module: nn.Module) -> None:
    """Take off what `attach` put there."""
    for name in (_CALL, *_GUARDS):
        module.__dict__.pop(name, None)


def call_of(module: nn.Module) -> Any:
    """Return the wrapper of the module's call, if any."""
    return module.__dict__.get(_CALL)


def plain_call(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the call as the module's class has it."""
    return type(module)._call_impl(module, *args, **kwargs)
