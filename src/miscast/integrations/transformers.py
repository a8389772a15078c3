"""Miscast in Transformers' Trainer: a policy, a look at the first batch, and a guard with its flight recorder.

from miscast.integrations.transformers import MiscastCallback
trainer = Trainer(model, arguments, train_dataset=data, callbacks=[MiscastCallback(log="flight.jsonl")])

MismatchError: inputs["pixel_values"]: float64 on cpu, ViTForImageClassification wants float32 on cpu
TrippedError: non-finite  step 1981: the loss is inf …
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback

from ..guarding import guard
from ..policy import Policy, apply
from ..policy.application import Handle
from .around import refuse_contradiction
from .first_batch import FirstBatch

if TYPE_CHECKING:
    from ..guarding.actions import OnTrip
    from ..guarding.watch import Guard

__all__ = ["MiscastCallback"]


class MiscastCallback(TrainerCallback):  # type: ignore[misc]  # its package is not followed
    """Watches a training by a `Trainer`, which goes on as it would, bit for bit; `guard` and `handle` are what it made.

    `policy` is applied when the trainer is made, and refused with a PolicyError where TrainingArguments say otherwise.
    `expect`: the first batch is held against the model, and what differs is named; by default where there is no policy,
    which would cast it. `guard_steps` False: no guard. `on_trip`, `max_skips`, `budget` and `log` are the guard's.
    """

    def __init__(  # noqa: PLR0913 - each is a choice of its own
        self,
        *,
        policy: Policy | str | None = None,
        expect: bool | None = None,
        guard_steps: bool = True,
        on_trip: OnTrip = "raise",
        max_skips: int = 10,
        budget: float = 0.01,
        log: str | os.PathLike[str] | None = None,
    ) -> None:
        """Take the policy and the options. Raises PolicyError for a name that is no policy."""
        self.policy = None if policy is None else Policy.of(policy)
        self.handle: Handle | None = None
        self.guard: Guard | None = None
        self._expects = self.policy is None if expect is None else expect
        self._guards = guard_steps
        self._options: dict[str, Any] = {
            "on_trip": on_trip,
            "max_skips": max_skips,
            "budget": budget,
        }
        self._log = log
        self._first: FirstBatch | None = None

    def on_init_end(
        self, args: Any, state: Any, control: Any, *, model: Any = None, **_: Any
    ) -> None:
        """Apply the policy, before an optimizer is created for the model's parameters."""
        del state, control
        if self.policy is None or model is None:
            return
        half = _autocast(args)
        name = {"float16": "fp16=True", "bfloat16": "bf16=True"}.get(half or "", "")
        refuse_contradiction(
            self.policy,
            autocast=half,
            scaler=half == "float16",
            by=f"TrainingArguments({name})",
            way_out="set its precision to {}",
        )
        self.handle = apply(model, self.policy)

    def on_train_begin(
        self,
        args: Any,
        state: Any,
        control: Any,
        *,
        model: Any = None,
        optimizer: Any = None,
        **_: Any,
    ) -> None:
        """Create the guard, and the hook that waits for the first batch."""
        del control
        self.close()
        if self._expects and model is not None:
            labels = tuple(args.label_names or ("labels",))
            self._first = FirstBatch(
                model, autocast=_autocast(args) is not None, labels=labels
            )
        if self._guards and optimizer is not None:
            log = self._log if state.is_world_process_zero else None
            self.guard = guard(model, _innermost(optimizer), log=log, **self._options)

    def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Remove all hooks but the policy; the guard keeps what it has recorded."""
        del args, state, control
        self.close()

    def close(self) -> None:
        """Remove all hooks but the policy; call it after an error, which a trainer does not report to callbacks."""
        if self._first is not None:
            self._first.remove()
        if self.guard is not None:
            self.guard.remove()


def _autocast(args: Any) -> str | None:
    """Return what the trainer computes in."""
    return "bfloat16" if args.bf16 else "float16" if args.fp16 else None


def _innermost(optimizer: Any) -> Any:
    """Return the trainer's own optimizer, of one that accelerate has wrapped."""
    while hasattr(optimizer, "optimizer"):
        optimizer = optimizer.optimizer
    return optimizer
