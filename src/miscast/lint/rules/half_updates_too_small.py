"""Updates of bfloat16 weights fall below half a unit in the last place."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...dtypes import facts
from ..contradiction import Contradiction
from ..run import Run

_WEIGHT = 0.02
"""The size of a typical weight of a transformer (initializer_range of BERT, GPT-2, Llama)."""


def half_step(weight: float = _WEIGHT) -> float:
    """Half a unit in the last place of a bfloat16 number of that size: what is added below it is lost."""
    return float(2.0 ** math.floor(math.log2(weight)) * facts("bfloat16").eps / 2)


def find(run: Run) -> Iterator[Contradiction]:
    """Learning rates below half a step of a typical weight."""
    for view in run.trainers:
        updates = view.system.facts.bfloat16_without_masters(view)
        rate = updates.rate.value if updates and updates.rate else None
        if updates and isinstance(rate, (int, float)) and 0 < rate < half_step():
            yield Contradiction(
                says=f"bfloat16 weights without float32 masters at a learning rate of {rate:g}",
                settings=(updates.rate, updates.dtype),
                severity="warning",
                effect=f"silent: an update below {half_step():.1e} of a weight of {_WEIGHT:g} is rounded away",
                help="float32 weights under bfloat16 autocast, or an optimizer with stochastic rounding",
            )
