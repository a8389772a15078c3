"""One step after another: the figures of each, and what is wrong with it."""

from __future__ import annotations

import math
import statistics
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from ..provenance.module_members import named_tensors
from . import gradients
from .budget import Budget
from .figures import Figures, Of
from .finite import is_finite
from .log import Log
from .moment import Buffers
from .reading import Reading
from .recorder import Recorder
from .replay import Rehearsal, all_parameters
from .stretch import UnreadableError
from .trip import Kind, Rerun, Trip
from .watches import Watches

_RERUNS = 3


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
        """What is told of it."""
        return Trip(
            kind=self.kind,
            step=self.figures.step,
            what=self.what,
            help=self.help,
            rerun=rerun,
            late=self.late,
        )


@dataclass(slots=True, kw_only=True, eq=False)
class _Pending:
    """A step whose figures are on their way."""

    figures: Figures
    reading: Reading
    optimizer: torch.optim.Optimizer
    losses: int
    norm: bool
    scale: bool
    clipped: bool
    """Whether gradients are no longer as the backward pass left them."""
    late: bool = False


class Steps:
    """The steps of a training."""

    def __init__(  # noqa: PLR0913 - what a step hangs on
        self,
        models: Sequence[torch.nn.Module],
        optimizers: Sequence[torch.optim.Optimizer],
        recorder: Recorder,
        buffers: Buffers,
        budget: Budget,
        log: Log,
        *,
        wait: bool,
    ) -> None:
        """None yet."""
        self.optimizers = optimizers
        self._models, self._recorder, self._buffers = models, recorder, buffers
        self._budget, self._log, self._wait = budget, log, wait
        self._names = {
            id(p): name for m in models for name, p in named_tensors(m, "_parameters")
        }
        self._watches = {id(one): Watches() for one in optimizers}
        self._number = 0
        self._since = time.perf_counter()
        self._seconds: deque[float] = deque(maxlen=20)
        self._waiting: list[_Pending] = []
        self._reruns = 0
        self._losses: list[torch.Tensor] = []
        self.clip: tuple[int, torch.Tensor, float] | None = None
        self.scaler: torch.amp.GradScaler | None = None
        self.unscaled: torch.Tensor | None = None
        self.by_scaler = False
        """Whether a scaler has found all gradients finite, and is calling the optimizer."""

    def computed(self, loss: torch.Tensor) -> None:
        """`backward()` was called on it."""
        self._losses.append(loss.detach() if self.unscaled is None else self.unscaled)
        self.unscaled = None

    def looked(self, optimizer: torch.optim.Optimizer, skipped: str = "") -> list[Step]:
        """What is wrong with the step whose update comes next, or with one before whose figures were late."""
        self._number += 1
        figures = Figures(step=self._number, skipped=skipped)
        figures.optimizer = next(
            i for i, one in enumerate(self.optimizers) if one is optimizer
        )
        figures.lr = _lr(optimizer)
        now = time.perf_counter()
        figures.seconds, self._since = now - self._since, now
        self._seconds.append(figures.seconds)
        norm, figures.of = self._norm(optimizer, skipped)
        scale = self.scaler._scale if self.scaler is not None else None
        given = [*self._losses, *(one for one in (norm, scale) if one is not None)]
        reading = Reading(
            [one.detach().sum() if one.numel() > 1 else one.detach() for one in given],
            wait=self._wait,
        )
        self._waiting.append(
            _Pending(
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
        return [found for one in self._arrived() for found in self._judged(one)]

    def rehearsal(self, step: Step) -> Rehearsal | None:
        """For a step that is worth being run again, and can be."""
        if step.late or step.kind != "non-finite" or self._reruns >= _RERUNS:
            return None
        self._reruns += 1
        return Rehearsal(self._models, self._buffers)

    def rerun(self, rehearsal: Rehearsal, step: Step) -> Rerun:
        """What came of it."""
        own = [p for group in step.optimizer.param_groups for p in group["params"]]
        try:
            taken = self._recorder.taken()
        except UnreadableError as error:
            return Rerun(failed=str(error))
        found = rehearsal.run(
            taken,
            all_parameters(self._models, own),
            compared=[] if step.clipped else own,
        )
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
        return gradients.measured(found, self._budget, whole=self._number == 1)

    def _arrived(self) -> Iterator[_Pending]:
        """Those whose figures are there, in order."""
        while self._waiting:
            values = self._waiting[0].reading.values()
            if values is None:
                self._waiting[0].late = True
                return
            one = self._waiting.pop(0)
            if one.losses:
                one.figures.loss = (
                    math.fsum(values[: one.losses])
                    if all(map(math.isfinite, values))
                    else sum(values[: one.losses])
                )
            rest = values[one.losses :]
            one.figures.norm = rest.pop(0) if one.norm else None
            one.figures.scale = rest.pop(0) if one.scale else None
            yield one

    def _judged(self, one: _Pending) -> Iterator[Step]:
        """What is wrong with a step; its line is written."""
        figures = one.figures
        what = self._not_finite(one)
        self._log.write("step", figures.line())
        judged = list(self._watches[id(one.optimizer)].judge(figures))
        if what:
            judged.insert(0, ("non-finite", what, ""))
        for kind, seen, helps in judged:
            yield Step(
                kind=kind,
                what=seen,
                help=helps,
                figures=figures,
                optimizer=one.optimizer,
                late=one.late,
                clipped=one.clipped,
            )

    def _not_finite(self, one: _Pending) -> str:
        """In a sentence; "" where all is finite, or a scaler has left the step out, as it does to find its scale."""
        figures = one.figures
        if figures.skipped:
            return ""
        if figures.loss is not None and not math.isfinite(figures.loss):
            return f"the loss is {figures.loss}"
        if figures.norm is None or math.isfinite(figures.norm):
            return ""
        if one.late:
            return self._weights(one.optimizer)
        found = list(gradients.named(one.optimizer, self._names))
        bad = gradients.confirmed(found)
        if not bad:
            figures.norm = gradients.size([gradient for _, gradient in found])
            return ""
        if figures.of == "clip":
            return f"the norm of the gradients is {figures.norm}, and clipping has spread it to {len(bad)} of them"
        more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
        return f"the gradient of {bad[0]}{more} is not finite"

    def _weights(self, optimizer: torch.optim.Optimizer) -> str:
        """A norm of the past can have overflowed on finite gradients: the weights that it moved say whether."""
        for group in optimizer.param_groups:
            for number, p in enumerate(group["params"]):
                if not is_finite(p.detach()):
                    return f"the weights of {self._names.get(id(p), f'parameter {number}')} are not finite any more"
        return ""


def _lr(optimizer: torch.optim.Optimizer) -> float:
    value = optimizer.param_groups[0].get("lr", 0.0)
    return (
        float(value)
        if not isinstance(value, torch.Tensor) or value.device.type == "cpu"
        else math.nan
    )
