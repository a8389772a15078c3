"""Miscast in Lightning: a precision plugin that is made from a policy, and a callback with the guard.

from miscast.integrations.lightning import MiscastCallback, PolicyPrecision
trainer = Trainer(plugins=[PolicyPrecision("bf16-mixed")], callbacks=[MiscastCallback(log="flight.jsonl")])

TrippedError: non-finite  step 1981: the loss is inf …
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from lightning.pytorch import Callback
from lightning.pytorch.plugins import MixedPrecision

from ..guarding import guard
from ..policy import Policy, apply
from ..policy.application import Handle
from .first_batch import FirstBatch

if TYPE_CHECKING:
    from ..guarding.actions import OnTrip
    from ..guarding.watch import Guard

__all__ = ["MiscastCallback", "PolicyPrecision"]


class PolicyPrecision(MixedPrecision):  # type: ignore[misc]  # its package is not followed
    """Lightning's precision by a policy, overrides included; `handle` says what it did.

    The policy's regions are the modules', so a loss that `training_step` computes beside the model is computed in what
    the model hands out. Float16 over float32 weights gets a GradScaler, as with "16-mixed". Raises PolicyError for what
    names no policy; where one cannot be kept, when the trainer converts the model.
    """

    def __init__(
        self,
        policy: Policy | str,
        *,
        device: str = "cpu",
        scaler: torch.amp.GradScaler | None = None,
    ) -> None:
        """Take a policy; `device` is where the scaler works ("cuda"), `scaler` one of the program's own."""
        self.policy = Policy.of(policy)
        stored = self.policy.param_dtype
        compute = self.policy.compute_dtype or stored
        scales = compute == "float16" and stored != compute
        super().__init__(
            "16-mixed" if scales else "bf16-mixed", device, scaler if scales else None
        )
        self.precision = str(policy)
        self.handle: Handle | None = None

    def convert_module(self, module: torch.nn.Module) -> torch.nn.Module:
        """Return the policy, before optimizers are made."""
        self.handle = apply(module, self.policy)
        return module

    @contextmanager
    def forward_context(self) -> Iterator[None]:
        """Run the step without autocast: each module's call has its own region."""
        yield


class MiscastCallback(Callback):  # type: ignore[misc]  # its package is not followed
    """Watches a fit, which goes on as it would, bit for bit; `guard` is what it made.

    `expect`: the first batch is held against the module that gets it; False where a policy casts it. The others are the
    guard's. With `strategy="fsdp"` or DeepSpeed, whose optimizers are their own, a step is not run again.
    """

    def __init__(
        self,
        *,
        expect: bool | None = None,
        on_trip: OnTrip = "raise",
        max_skips: int = 10,
        budget: float = 0.01,
        log: str | os.PathLike[str] | None = None,
    ) -> None:
        self.guard: Guard | None = None
        self._expects = expect
        self._options: dict[str, Any] = {
            "on_trip": on_trip,
            "max_skips": max_skips,
            "budget": budget,
        }
        self._log = log
        self._first: list[FirstBatch] = []

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """Create the guard, and the hooks that wait for the first batch."""
        self._leave()
        plugin = trainer.precision_plugin
        theirs = str(plugin.precision)
        casts = isinstance(plugin, PolicyPrecision) or (
            theirs.endswith("-true") and theirs != "32-true"
        )
        autocast = isinstance(plugin, MixedPrecision)
        models = _called(pl_module)
        if self._expects or (self._expects is None and not casts):
            self._first = [FirstBatch(one, autocast=autocast) for one in models]
        log = self._log if trainer.is_global_zero else None
        self.guard = guard(models, list(trainer.optimizers), log=log, **self._options)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """Remove all hooks; the guard keeps what it has recorded."""
        del trainer, pl_module
        self._leave()

    def on_exception(self, trainer: Any, pl_module: Any, exception: Any) -> None:
        """Remove all hooks; the guard keeps what it has recorded."""
        del trainer, pl_module, exception
        self._leave()

    def _leave(self) -> None:
        for one in self._first:
            one.remove()
        if self.guard is not None:
            self.guard.remove()


def _called(module: torch.nn.Module) -> list[torch.nn.Module]:
    """Return what a training step calls.

    The module itself, if it has a forward, and its direct children with parameters.
    """
    children = [
        one for one in module.children() if next(one.parameters(), None) is not None
    ]
    return [module, *children]
