"""One step after another: the figures of each, and what is wrong with it."""

from __future__ import annotations

import math
import statistics
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import torch

from ..vm.provenance.module_members import named_tensors
from . import gradients, ranks
from .arrivals import Arriving, arrived, not_finite
from .budget import Budget
from .changes import Changes
from .figures import Figures, Of
from .log import Log
from .reading import Reading
from .recorder import Recorder
from .replay import Rehearsal, all_parameters
from .stretch import UnreadableError
from .trip import Kind, Rerun, Trip
from .watches import Judged, Watches
from .weights import Weights

_RERUNS = 3
_LATE = (
    "its metrics arrived from the GPU after the update, when the weights it started with were gone; with "
    "miscast.guard(…, wait=True) they are read before the update, and such a step is replayed"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Step:
    """A step that is not as it should be, not yet run again."""

    kind: Kind
    what: str
    help: str = ""
    figures: Figures
    optimizer: torch.optim.Optimizer
    late: bool = False
    clipped: bool = False

    def trip(self, rerun: Rerun | None = None) -> Trip:
        """Return the step's alarm."""
        return Trip(
            kind=self.kind,
            step=self.figures.step,
            what=self.what,
            help=self.help,
            rerun=rerun,
            late=self.late,
        )


class Steps:
    """The steps of a training."""

    def __init__(
        self, recorder: Recorder, budget: Budget, log: Log, *, wait: bool
    ) -> None:
        self.optimizers: list[torch.optim.Optimizer] = []
        self.models: list[torch.nn.Module] = []
        self._recorder = recorder
        self._budget, self._log, self._wait = budget, log, wait
        self._names: dict[int, str] = {}
        self._watches: dict[int, Watches] = {}
        self._weights: dict[int, Weights] = {}
        self._changes = Changes(self._names)
        self.number = 0
        self._since = time.perf_counter()
        self._seconds: deque[float] = deque(maxlen=20)
        self._arriving: list[Arriving] = []
        self._reruns = 0
        self._sampled = False
        self._every = wait and ranks.several()
        self._losses: list[torch.Tensor] = []
        self._others: deque[torch.Tensor] = deque(maxlen=64)
        self.clip: tuple[int, torch.Tensor, float] | None = None
        self.scaler: torch.amp.GradScaler | None = None
        self.unscaled: torch.Tensor | None = None
        self.by_scaler = False
        """True while a scaler that found all gradients finite calls the optimizer."""

    def adopt(self, model: torch.nn.Module) -> None:
        """Register a model that takes part in the steps."""
        self.models.append(model)
        for name, parameter in named_tensors(model, "_parameters"):
            self._names.setdefault(id(parameter), name)

    def adopt_optimizer(self, optimizer: torch.optim.Optimizer) -> None:
        """Register an optimizer whose updates are steps."""
        self.optimizers.append(optimizer)
        self._watches[id(optimizer)] = Watches()
        self._weights[id(optimizer)] = Weights(optimizer, self._names, wait=self._wait)

    def computed(self, loss: torch.Tensor, *, known: bool) -> None:
        """Record a loss on which `backward()` was called."""
        value = loss.detach() if self.unscaled is None else self.unscaled
        (self._losses if known else self._others).append(value)
        self.unscaled = None

    def looked(self, optimizer: torch.optim.Optimizer, skipped: str = "") -> list[Step]:
        """Return the steps with problems: the one about to be updated, or earlier ones whose figures came late."""
        self.number += 1
        figures = Figures(step=self.number, skipped=skipped)
        figures.optimizer = self.optimizers.index(optimizer)
        figures.lr = _lr(optimizer)
        now = time.perf_counter()
        figures.seconds, self._since = now - self._since, now
        self._seconds.append(figures.seconds)
        norm, figures.of = self._norm(optimizer, skipped)
        scale = self.scaler._scale if self.scaler is not None else None
        if not self._recorder.seen:
            # a model whose calls are never seen, as one that is called by its parts: these may be its losses
            self._losses = list(self._others)
        given = [*self._losses, *(one for one in (norm, scale) if one is not None)]
        reading = Reading(
            [one.detach().sum() if one.numel() > 1 else one.detach() for one in given],
            wait=self._wait,
        )
        self._arriving.append(
            Arriving(
                figures=figures,
                reading=reading,
                optimizer=optimizer,
                losses=len(self._losses),
                norm=norm is not None,
                scale=scale is not None,
                clipped=self.clip is not None or self.scaler is not None,
            )
        )
        self._losses, self.clip = [], None
        self._others.clear()
        steps = [
            found for one in arrived(self._arriving) for found in self._judged(one)
        ]
        judged = self._looked_at(optimizer, skipped)
        return [*steps, *_steps(judged, figures, optimizer)]

    def made(self, optimizer: torch.optim.Optimizer) -> list[Step]:
        """Return the update was made."""
        if not self._sampled:
            return []
        self._sampled = False
        with self._budget.spending("weights, after"):
            line, judged = self._weights[id(optimizer)].after(self.number)
        if line is not None:
            self._log.write("weights", line)
        figures = Figures(step=self.number)
        return list(_steps(judged, figures, optimizer, late=True))

    def _looked_at(
        self, optimizer: torch.optim.Optimizer, skipped: str
    ) -> list[Judged]:
        """Return the problems found by budgeted checks of weights and dtypes, and by comparing ranks."""
        found = [] if skipped else ranks.judged(self.models, self.number)
        if not skipped and self._budget.affords("weights", "weights, after"):
            with self._budget.spending("weights"):
                self._weights[id(optimizer)].before()
                self._sampled = True
                found += self._changes.judge(optimizer)
        return found

    def rehearsal(self, step: Step) -> Rehearsal | Rerun | None:
        """Return a rehearsal of a step worth replaying, or why it cannot be replayed; None for other steps."""
        if step.kind != "non-finite":
            return None
        if step.late:
            return Rerun(failed=_LATE)
        if self._reruns >= _RERUNS:
            return Rerun(failed=f"the limit of {_RERUNS} replayed steps is reached")
        self._reruns += 1
        return Rehearsal(self.models, self._recorder.buffers)

    def rerun(self, rehearsal: Rehearsal, step: Step) -> Rerun:
        """Return what came of it."""
        own = [p for group in step.optimizer.param_groups for p in group["params"]]
        compared = [] if step.clipped else own
        try:
            taken = self._recorder.taken()
            found = rehearsal.run(
                taken, all_parameters(self.models, own), compared=compared
            )
        except UnreadableError as error:
            return Rerun(failed=str(error))
        usual = statistics.median(self._seconds)
        return replace(found, steps=found.seconds / usual if usual else 0.0)

    def _norm(
        self, optimizer: torch.optim.Optimizer, skipped: str
    ) -> tuple[torch.Tensor | None, Of]:
        found = gradients.of(optimizer)
        if self.clip is not None:
            count, norm, order = self.clip
            if count == len(found) and order == 2:
                return norm, "clip"
        if skipped:
            return None, ""
        if self.by_scaler and not self._budget.affords("norm"):
            return None, "scaler"
        # where a step may be left out, all ranks must leave it out
        whole = self.number == 1 or self._every
        return gradients.measured(found, self._budget, whole=whole)

    def _judged(self, one: Arriving) -> Iterator[Step]:
        """Write a step's line to the log, and return its problems."""
        figures = one.figures
        what = not_finite(one, self._names)
        self._log.write("step", figures.line())
        judged = list(self._watches[id(one.optimizer)].judge(figures))
        if what:
            judged.insert(0, ("non-finite", what, ""))
        late, clipped = one.late, one.clipped
        return _steps(judged, figures, one.optimizer, late=late, clipped=clipped)


def _steps(
    judged: Iterable[Judged],
    figures: Figures,
    optimizer: torch.optim.Optimizer,
    **how: bool,
) -> Iterator[Step]:
    for kind, what, help_ in judged:
        yield Step(
            kind=kind,
            what=what,
            help=help_,
            figures=figures,
            optimizer=optimizer,
            **how,
        )


def _lr(optimizer: torch.optim.Optimizer) -> float:
    value = optimizer.param_groups[0].get("lr", 0.0)
    if not isinstance(value, torch.Tensor) or value.device.type == "cpu":
        return float(value)
    return math.nan
