"""torch.compile runs eagerly: the check looks at the program, not at the code that a compiler makes of it.

But for what inductor does not round: see `numerics.fused`.
"""

from __future__ import annotations

import builtins
import functools
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from ...provenance.on_behalf import theirs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `torch.compile`, also as a decorator with arguments, and what keeps code out of it."""

    def compile(model: Any = None, **how: Any) -> Any:  # noqa: A001 - torch's name
        vm.recorder.note("torch.compile ran eagerly")
        if model is None:
            return partial(compile, **how)
        rounds = (how.get("options") or {}).get("emulate_precision_casts")
        other = how.get("backend", "inductor") != "inductor" or how.get("disable")
        return model if rounds or other else vm.numerics.fused.called(model)

    yield Patch(torch, "compile", compile)
    yield _disabling(vm, torch.compiler)
    yield Patch(builtins, "print", _breaking(vm, print))


def _breaking(vm: VirtualMachine, real: Any) -> Any:
    """Return a function that ends the region of compiled code which calls it."""

    @functools.wraps(real)
    def breaks(*args: Any, **kwargs: Any) -> Any:
        vm.numerics.fused.breaks()
        return theirs(real, *args, **kwargs)

    return breaks


def _disabling(vm: VirtualMachine, module: ModuleType) -> Patch:
    """Return a patch of `disable`: the code that it is given is not fused."""
    real = module.disable

    def disable(fn: Any = None, *args: Any, **how: Any) -> Any:
        if fn is None:
            return lambda fn: disable(fn, *args, **how)
        eager = real(fn, *args, **how)
        # torch decorates its own functions as they are imported, and keeps them
        of_torch = str(getattr(fn, "__module__", "")).startswith("torch.")
        if of_torch or isinstance(fn, type):
            return eager
        return vm.numerics.fused.called(eager, fused=False)

    return Patch(module, "disable", disable)


def _dynamo(vm: VirtualMachine, dynamo: ModuleType) -> Iterator[Patch]:
    """Yield patches of the real module, whose `reset` imports what only CUDA builds have."""
    yield Patch(dynamo, "reset", lambda: None)
    yield Patch(dynamo, "graph_break", _breaking(vm, dynamo.graph_break))
    yield _disabling(vm, dynamo)


LATER = {"torch._dynamo": _dynamo}
