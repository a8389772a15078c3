"""The guard itself: it stands at the model's call, at `backward()` and before the optimizer's step."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

import torch

from ..core.failure import Failures
from .actions import Actions
from .budget import Budget
from .door import Arguments, watched
from .hooks import Hooks
from .log import Heard, Log, say
from .recorder import Recorder
from .replay import Done, Rehearsal
from .step import Step, Steps
from .trip import Rerun, Trip, TrippedError

R = TypeVar("R")


class Guard:
    """The result of `guard`: `trips` so far, the `last` lines, and `remove()`, which restores everything."""

    def __init__(  # noqa: PLR0913 - what `guard` has made of its arguments
        self,
        models: list[torch.nn.Module],
        optimizers: list[torch.optim.Optimizer],
        actions: Actions,
        log: Log,
        budget: Budget,
        *,
        wait: bool,
    ) -> None:
        """Add hooks to the models and the optimizers, and patch torch's functions."""
        self._log, self._actions, self._budget = log, actions, budget
        self._failures = Failures()
        self._rehearsal: Rehearsal | None = None
        self._recorder = Recorder(budget)
        self._step = Steps(self._recorder, budget, log, wait=wait)
        self._put_aside: list[tuple[torch.Tensor, torch.Tensor | None]] = []
        self._stepped = False
        self._handles: list[Any] = []
        self._hooks = Hooks(self)
        for model in models:
            self.adopt(model)
        for optimizer in optimizers:
            self.adopt_optimizer(optimizer)
        self._hooks.install()
        parameters = sum(p.numel() for m in models for p in m.parameters())
        start = {"torch": str(torch.__version__), "parameters": parameters}
        log.start({**start, "budget": budget.share})

    def adopt(self, model: torch.nn.Module) -> None:
        """Watch this model, too: from its next call on."""
        self._step.adopt(model)
        self._recorder.adopt(model)
        self._watch(model)

    def adopt_optimizer(self, optimizer: torch.optim.Optimizer) -> None:
        """Watch this optimizer, too."""
        self._step.adopt_optimizer(optimizer)
        self._watch_optimizer(optimizer)

    def follow(self, heard: Heard) -> None:
        """Call `heard(event, values)` for each later line of the log: "step", "weights", "trip", "recovery"."""
        self._log.heard_by.append(heard)

    def pause(self) -> None:
        """Look at nothing until `resume`, as where another training or an evaluation has its turn."""
        self._hooks.remove()
        for one in self._handles:
            one.remove()
        self._handles = []
        self._recorder.forget()

    def resume(self) -> None:
        """Look again; the time since is not counted."""
        self._hooks.install()
        for model in self._step.models:
            self._watch(model)
        for optimizer in self._step.optimizers:
            self._watch_optimizer(optimizer)
        self._budget.begin()

    def remove(self) -> None:
        """Watch no more."""
        self.pause()
        self._log.close()

    def _watch(self, model: torch.nn.Module) -> None:
        self._handles += watched(model, self.called)

    def _watch_optimizer(self, optimizer: torch.optim.Optimizer) -> None:
        self._handles.append(optimizer.register_step_pre_hook(self._before_step))
        self._handles.append(optimizer.register_step_post_hook(self._after_step))

    @property
    def trips(self) -> tuple[Trip, ...]:
        """The alarms so far, whether they stopped the run or were only reported."""
        return tuple(self._actions.trips)

    @property
    def last(self) -> list[dict[str, Any]]:
        """The last lines of the log, also without a file."""
        return list(self._log.last)

    @property
    def steps(self) -> int:
        """The number of updates, including skipped ones."""
        return self._step.number

    @property
    def share(self) -> float:
        """The share of time used so far, as measured by the guard."""
        return self._budget.used

    def run(self, fn: Callable[..., R], /, *args: Any, **kwargs: Any) -> R:
        """Run `fn(*args, **kwargs)`, which computes a loss and calls its `backward()`, as one step to replay."""
        self._recorder.given(lambda: fn(*args, **kwargs))
        return fn(*args, **kwargs)

    def __enter__(self) -> Guard:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()

    def called(self, frame: FrameType, arguments: Arguments | None = None) -> None:
        """Record a model's call below this frame, with its arguments."""
        if self._rehearsal is not None or not torch.is_grad_enabled():
            return
        with self._working("the guard checked the start of a step"):
            self._recorder.forward(frame, arguments)

    def backward(
        self, original: Callable[..., Any], tensors: Any, args: Any, kwargs: Any
    ) -> None:
        """Replace `torch.autograd.backward`."""
        if self._rehearsal is not None:
            self._rehearsal.backward(original, tensors, args, kwargs)
            return
        original(tensors, *args, **kwargs)
        with self._working("the guard recorded a backward pass"):
            losses = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
            if losses:
                known = self._recorder.backward(losses, sys._getframe(1))
                self._step.computed(losses[0], known=known)

    def clipping(self, gradients: int, norm: torch.Tensor, order: float) -> None:
        """Record a norm that was computed for clipping."""
        # of a DTensor each rank has a part; to ask the others for theirs is not for a guard
        if self._rehearsal is None and not hasattr(norm, "to_local"):
            self._step.clip = gradients, norm, order

    def scaled(self, scaler: torch.amp.GradScaler, loss: Any) -> None:
        """Record the unscaled loss when `backward()` is called on a scaled one."""
        if self._rehearsal is None and isinstance(loss, torch.Tensor):
            self._step.scaler, self._step.unscaled = scaler, loss.detach()

    def scaler_steps(
        self, optimizer: torch.optim.Optimizer, step: Callable[[], Any]
    ) -> Any:
        """Run a GradScaler's step, which calls the optimizer's step if all gradients are finite."""
        if self._rehearsal is not None:
            raise Done
        if not any(one is optimizer for one in self._step.optimizers):
            return step()
        self._stepped, self._step.by_scaler = False, True
        try:
            result = step()
        finally:
            self._step.by_scaler = False
        if not self._stepped:
            self._acted(self._looked(optimizer, skipped="scaler"), optimizer)
            self._recorder.forget()
        return result

    def scaler_updated(self, scaler: torch.amp.GradScaler) -> None:
        """Record the scaler; its scale is read with the next step's figures."""
        self._step.scaler = scaler

    def _before_step(
        self,
        optimizer: torch.optim.Optimizer,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
        if self._rehearsal is not None:
            raise Done
        self._stepped = True
        # the first of `args` is the optimizer
        closure = args[1] if len(args) > 1 else kwargs.get("closure")
        if closure is None:
            self._acted(self._looked(optimizer), optimizer)
            return None
        looking = self._looking_behind(closure, optimizer)
        if len(args) > 1:
            return (args[0], looking, *args[2:]), kwargs
        return args, {**kwargs, "closure": looking}

    def _looking_behind(
        self, closure: Callable[[], Any], optimizer: torch.optim.Optimizer
    ) -> Callable[[], Any]:
        """Return a step's closure, which computes its gradients; it is looked once, when they are there."""
        looked = False

        def computed() -> Any:
            nonlocal looked
            loss = closure()
            if not looked and self._handles:
                looked = True
                self._acted(self._looked(optimizer), optimizer)
            return loss

        return computed

    def _after_step(
        self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any
    ) -> None:
        del args, kwargs
        for parameter, gradient in self._put_aside:
            parameter.grad = gradient
        self._put_aside = []
        found: list[Step] = []
        with self._working("the guard checked the end of a step"):
            found = self._step.made(optimizer)
        self._recorder.forget()
        self._acted(found, optimizer)

    def _looked(
        self, optimizer: torch.optim.Optimizer, skipped: str = ""
    ) -> list[Step]:
        with self._working("the guard checked a step"):
            self._budget.earn()
            return self._step.looked(optimizer, skipped)
        return []

    def _acted(self, found: list[Step], optimizer: torch.optim.Optimizer) -> None:
        """Act on the problems, outside `_working`, since a function of the program may raise anything."""
        for one in found:
            trip = one.trip()
            with self._working("the guard replayed a step"):
                trip = self._again(one)
            action = self._actions.decided(trip)
            if action == "raise":
                self._recorder.forget()
                raise TrippedError(trip)
            if action == "skip" and not self._put_aside:
                parameters = [
                    p for group in optimizer.param_groups for p in group["params"]
                ]
                self._put_aside = [(p, p.grad) for p in parameters]
                for parameter in parameters:
                    parameter.grad = None

    def _again(self, found: Step) -> Trip:
        rehearsal = self._step.rehearsal(found)
        if rehearsal is None or isinstance(rehearsal, Rerun):
            return found.trip(rehearsal)
        self._rehearsal = rehearsal
        try:
            return found.trip(self._step.rerun(rehearsal, found))
        finally:
            self._rehearsal = None

    @contextmanager
    def _working(self, what: str) -> Iterator[None]:
        """Charge the block's time to the budget; a failure is reported once and removes the guard, not the run."""
        begin = time.perf_counter()
        with self._failures.during(what):
            yield
        self._budget.pay(time.perf_counter() - begin)
        if self._failures.line is not None and self._handles:
            say(
                f"miscast.guard: {self._failures.line}; training continues without the guard"
            )
            self.remove()
