"""A program beside itself in another precision: the same seeds, batches and decisions; where the two part.

The twin follows the real run: what is drawn at random, and what is decided, is the real run's. So nothing but
precision sets the two apart, and each loss, gradient and weight of one has its pair in the other.
"""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import torch

from ...report import Report
from . import record
from .call import tensors
from .loss import Losses
from .mode import Shadow
from .parting import Decision, Output, Parted, Parting
from .precision import against
from .room import Room
from .section import LossValue
from .twin import Twin
from .views import ShownParting
from .watch import Watch
from .ways import Ways

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


LEVELS = (0.0, 0.01, 0.1, 1.0)
"""Relative differences whose first occurrence is reported: any, 1 %, 10 %, 100 %."""


class Against:
    """`precision` is a dtype's name; else as a `Session`."""

    def __init__(
        self,
        precision: str,
        *,
        steps: int = 0,
        modules: tuple[str, ...] = (),
        memory: int = 0,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """Prepare the comparison, without starting it. Raises ValueError for an unknown precision."""
        self.precision = against(precision)
        self.watch = Watch(steps=steps, modules=modules, progress=progress)
        self.room = Room(memory)
        self.shadow = Shadow(self.watch, Losses(), self._observe, self.room)
        self.shadow.precision, self.shadow.beside = self.precision, Twin
        self.shadow.began = self._began
        self.watch.left = self._left
        self.losses: list[LossValue] = []
        self.parted: dict[float, Parted] = {}
        self.outputs: dict[str, Output] = {}
        self.decisions: dict[tuple[str, int, str], Decision] = {}
        self._ways = Ways(self.watch, self.precision, self.shadow.resting)

    @contextmanager
    def on(self) -> Iterator[Against]:
        """Compute everything of this thread in both precisions within the block."""
        with ExitStack() as stack:
            stack.enter_context(self.watch.on())
            stack.enter_context(self._ways.on())
            stack.enter_context(self.shadow)
            yield self

    def _began(self, loss: LossValue) -> None:
        self.losses.append(loss)

    def _observe(self, run: Twin) -> None:
        for tensor, error, finite in run.apart:
            self._apart(run, tensor, error, finite=finite)
        if run.decided is not None:
            self._decided(run, *run.decided)

    def _apart(
        self, run: Twin, tensor: torch.Tensor, error: float, *, finite: bool
    ) -> None:
        passed = [
            level
            for level in LEVELS
            if level not in self.parted and (error > level or (level == 0 and error))
        ]
        infinite = not finite and float("inf") not in self.parted
        if not passed and not infinite:
            return
        site = run.site(tensor.dtype)
        found = Parted(
            error=error, step=self.watch.steps + 1, op=site.op, dtype=site.dtype_name, phase=site.phase,
            location=site.location,
        )  # fmt: skip
        for level in passed:
            self.parted[level] = found
        if infinite:
            self.parted[float("inf")] = found

    def _decided(self, run: Twin, whole: int, otherwise: int) -> None:
        if not otherwise:
            return
        site = run.site(torch.bool)
        key = (site.location.file, site.location.line, site.op)
        known = self.decisions.get(key)
        self.decisions[key] = Decision(
            op=site.op,
            location=site.location,
            step=known.step if known else self.watch.steps + 1,
            otherwise=otherwise + (known.otherwise if known else 0),
            of=whole + (known.of if known else 0),
        )

    def _left(self, path: str, output: Any) -> None:
        """Record the error of a module's outputs."""
        values = list(output.values()) if isinstance(output, dict) else output
        for one in tensors(values):
            if record.is_plain(one) and one.is_floating_point():
                kept = record.find(one)
                error = (
                    kept.error if kept is not None and kept.wide is not None else 0.0
                )
                known = self.outputs.get(path)
                self.outputs[path] = Output(
                    module=path,
                    dtype=str(one.dtype)[6:],
                    first=known.first if known else error,
                    worst=max(error, known.worst) if known else error,
                )

    def report(self, *, ended: str | None = None) -> Report:
        """Return where they part."""
        cuda = {"cuda"} if torch.cuda.is_initialized() else set()
        return Report(
            machine="+".join(sorted({"cpu"} | cuda)),
            torch=str(torch.__version__),
            ops=self.shadow.ops,
            ended=ended,
            failed=self.shadow.failure(),
            notes=self.shadow.notes(),
            command="shadow",
            sections=(self.parting(),),
        )

    def parting(self) -> Parting:
        """Return the result as data."""
        return ShownParting(
            precision=self.precision.name,
            ops=self.shadow.ops,
            steps=self.watch.steps,
            losses=tuple(self.losses),
            parted={level: self.parted[level] for level in sorted(self.parted)},
            outputs=tuple(self.outputs.values()),
            weights=tuple(self._ways.found()),
            decisions=tuple(self.decisions.values()),
            unknown=dict(self.shadow.unknown),
        )
