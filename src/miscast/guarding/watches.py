"""Judge a series of figures: exploding norms, vanishing gradients, loss scales that skip every step.

Each is a judgement with a wide margin: a rough training, a spike, a scale that has yet to find its size are none.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from .figures import Figures
from .trip import Kind

# Cases beside each threshold that must stay silent are in tests/guarding/test_watches.py.
# a bad batch can give 100 times the usual norm, and the training recovers
_TIMES = 1000.0
_ENOUGH = 20  # norms fall by orders of magnitude in the first steps of a training
_WINDOW = 100
_ZEROS = 5  # a batch without a label or with dead units can give zeros once
_LOST = 3  # GradScaler skips single steps in sound trainings, too, but of a finite loss
_SMALLEST = 1.0  # below, the scale shrinks gradients, and float16 holds none the better

Judged = tuple[Kind, str, str]
"""A kind, what was seen, and what helps."""


@dataclass(slots=True, kw_only=True, eq=False)
class Watches:
    """The series of one optimizer."""

    norms: dict[str, deque[float]] = field(default_factory=dict)
    zeros: int = 0
    lost: int = 0
    """Steps in a row that a scaler skipped, with a loss that was not finite before it was scaled."""
    collapsed: bool = False

    def judge(self, figures: Figures) -> Iterator[Judged]:
        """Yield what a step adds."""
        if (
            figures.norm is not None
            and math.isfinite(figures.norm)
            and not figures.skipped
        ):
            yield from self._exploding(figures, figures.norm)
            yield from self._vanished(figures, figures.norm)
        yield from self._loss_scale(figures)

    def _exploding(self, figures: Figures, norm: float) -> Iterator[Judged]:
        """Yield a thousand times the largest of the last hundred."""
        series = self.norms.setdefault(figures.of, deque(maxlen=_WINDOW))
        most = max(series, default=0.0)
        series.append(norm)
        if len(series) > _ENOUGH and most > 0 and norm > _TIMES * most:
            yield (
                "exploding",
                f"the gradient norm is {norm:.3g}, compared with at most {most:.3g} before",
                "clip the gradients (torch.nn.utils.clip_grad_norm_), or look at this batch",
            )

    def _vanished(self, figures: Figures, norm: float) -> Iterator[Judged]:
        """Yield a problem if several steps in a row have only zero gradients, after others and with a non-zero loss."""
        moved = any(one > 0 for one in self.norms.get(figures.of, ()))
        self.zeros = self.zeros + 1 if norm == 0 and figures.loss else 0
        if self.zeros == _ZEROS and moved:
            yield (
                "vanished",
                f"all gradients have been zero for {_ZEROS} steps, at a loss of {figures.loss:.4g}",
                "in float16 small gradients round to zero: scale the loss (torch.amp.GradScaler), or use bfloat16",
            )

    def _loss_scale(self, figures: Figures) -> Iterator[Judged]:
        """Yield a problem if the loss scale falls below 1, unless it started there: it then shrinks the gradients."""
        if figures.scale is None:
            return
        if figures.skipped != "scaler" or figures.loss is None:
            self.lost = 0
        elif not math.isfinite(figures.loss):
            self.lost += 1
            if self.lost == _LOST:
                yield (
                    "non-finite",
                    f"the unscaled loss has been {figures.loss} for {_LOST} steps: no loss scale helps",
                    "",
                )
        if (
            figures.scale < _SMALLEST
            and figures.skipped == "scaler"
            and not self.collapsed
        ):
            self.collapsed = True
            yield (
                "loss-scale",
                f"the loss scale has dropped to {figures.scale:.3g}, and gradients still overflow",
                "run the op that overflows in float32 (with autocast disabled): no loss scale fixes it",
            )
