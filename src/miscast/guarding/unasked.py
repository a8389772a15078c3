"""A guard of a program that knows nothing of it: it finds the models and optimizers as they are used.

Models are the outermost modules that are called where gradients are on. They are looked for until a few updates have
been made, as torch asks a hook of every module until then. Optimizers are those that make an update.
"""

from __future__ import annotations

import atexit
import sys
from typing import Any

import torch
from torch.nn.modules.module import register_module_forward_pre_hook
from torch.optim.optimizer import register_optimizer_step_pre_hook

from ..vm.provenance.module_members import submodules
from .actions import Actions, OnTrip
from .budget import Budget
from .log import Log, say
from .watch import Guard

_MET = 3
"""Updates after which no more models are looked for."""


def install(log: str, on_trip: OnTrip) -> None:
    """Guard this process from now on; one summary line is printed at exit. Raises OSError."""
    lines = Log(log, keep=100)
    guard = Guard(
        [], [], Actions(on_trip, 10, lines), lines, Budget(0.01), wait=on_trip == "skip"
    )
    _Finder(guard)
    atexit.register(_ended, guard, lines.path)


class _Finder:
    """Hands to a guard what it is to watch."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._known: set[int] = set()
        self._updates = 0
        self._models = register_module_forward_pre_hook(self._called)
        register_optimizer_step_pre_hook(self._stepping)

    def _called(self, module: torch.nn.Module, args: Any) -> None:
        del args
        if id(module) in self._known or not torch.is_grad_enabled():
            return
        if not any(p.requires_grad for p in module.parameters()):
            return
        self._known |= {id(one) for _, one in submodules(module)}
        self._guard.adopt(module)
        # the hook that it has now is too late for this call
        self._guard.called(sys._getframe(1))

    def _stepping(
        self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any
    ) -> None:
        del args, kwargs
        self._updates += 1
        if self._updates == _MET:
            self._models.remove()
        if id(optimizer) not in self._known:
            self._known.add(id(optimizer))
            self._guard.adopt_optimizer(optimizer)


def _ended(guard: Guard, log: str | None) -> None:
    trips = f"{len(guard.trips)} alarm{'s' if len(guard.trips) != 1 else ''}"
    say(
        f"miscast.guard: {guard.steps:,} steps, {trips}, {guard.share:.1%} of the time; see miscast flight {log}"
    )
    guard.remove()
