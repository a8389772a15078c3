"""Each op runs as it does without the shadow; then the same op runs in float64 on the float64 operands kept beside.

The program sees the real results only, so what it decides, prints and saves is what it would without the shadow, bit
for bit. Random numbers are drawn once, by the real run; which elements a `topk` picks, and where a `round` rounds to,
is the real run's choice.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch

from ...running.torch_abi import DispatchKey, DispatchMode, OpOverload, node_at_work
from .backward import OPS, asks_for_gradients, loss_of, note_scaled
from .beside import Beside
from .lines import Lines
from .plan import plan_of
from .precision import EXACT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .loss import Losses
    from .precision import Precision
    from .room import Room
    from .section import LossValue
    from .watch import Watch


class Shadow(DispatchMode):
    """`observe` gets each call that gave numbers that round, `began` each loss that `backward()` was called on.

    `unknown` counts ops that have no form in the dtype beside.
    """

    # a higher-order op (`flex_attention`, `cond`) is run as it is
    supports_higher_order_operators = True
    precision: Precision = EXACT
    beside: type[Beside] = Beside

    def __init__(
        self, watch: Watch, losses: Losses, observe: Callable[[Any], None], room: Room
    ) -> None:
        """Prepare a shadow that is not on yet."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.watch = watch
        self.losses = losses
        self.observe = observe
        self.room = room
        self.began: Callable[[LossValue], None] = lambda _: None
        self.rests = False
        self.lines = Lines()
        self.ops = 0
        self.unknown: dict[str, int] = {}
        self.failed: dict[str, int] = {}
        self._process = os.getpid()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        """Run the op, and its shadow."""
        kwargs = kwargs or {}
        if (
            self.rests
            or not self.watch.looks
            or not isinstance(func, OpOverload)
            or os.getpid() != self._process
        ):
            return func(*args, **kwargs)
        plan = plan_of(func)
        if plan.opens:
            with self:
                return func._op_dk(
                    DispatchKey.CompositeImplicitAutograd, *args, **kwargs
                )
        self.ops += 1
        run = self.beside(self, func, plan, args, kwargs)
        run.frame = sys._getframe(1)
        if node_at_work() is None and torch.is_grad_enabled():
            self.lines.note(run.frame)
        with torch.no_grad():
            if plan.writes:
                self._safely(run, run.before)
        run.real = func(*args, **kwargs)
        if plan.is_view:
            self._safely(run, run.look_at_bits)
        else:
            with torch.no_grad():
                self._safely(run, run.after)
                if plan.op in OPS:
                    self._safely(run, lambda: self._begin(run))
        return run.real

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Ignore the ops within the block, which are not the program's."""
        before, self.rests = self.rests, True
        try:
            yield
        finally:
            self.rests = before

    def _begin(self, run: Beside) -> None:
        note_scaled(run)
        if asks_for_gradients(run):
            self.lines.begins(run.bound["self"])
        loss = loss_of(run)
        if loss is not None:
            self.began(loss)

    def failure(self) -> str | None:
        """Return a line on the shadow's own failures, in whose ops losses go unreported; None if there were none."""
        times = sum(self.failed.values())
        if not times:
            return None
        return (
            f"the shadow itself failed {times:,} times in {self.ops:,} ops; their results are treated as exact and "
            "not checked (please report this)"
        )

    def notes(self) -> tuple[str, ...]:
        """Return what the report has to admit."""
        failed = [
            f"the shadow failed at {name} (×{count})"
            for name, count in self.failed.items()
        ]
        return (*failed, *self.room.notes())

    def _safely(self, run: Beside, part: Callable[[], None]) -> None:
        """Run a part of the shadow's work; if it fails, the program goes on and the op's results count as exact."""
        try:
            part()
        except Exception as error:  # noqa: BLE001 - see above
            name = f"{run.plan.op}: {type(error).__name__}: {error}".partition("\n")[0][
                :200
            ]
            self.failed[name] = self.failed.get(name, 0) + 1
            run.forget()
