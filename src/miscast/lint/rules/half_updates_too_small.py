"""Updates of bfloat16 weights fall below half a unit in the last place."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...core.dtypes import facts
from ..contradiction import Contradiction
from ..run import Run

_WEIGHT = 0.02
"""The size of a typical weight of a transformer (initializer_range of BERT, GPT-2, Llama)."""


def half_unit_in_last_place(weight: float = _WEIGHT) -> float:
    """Return half a unit in the last place of a bfloat16 weight; smaller updates are rounded away."""
    return float(2.0 ** math.floor(math.log2(weight)) * facts("bfloat16").eps / 2)


def find(run: Run) -> Iterator[Contradiction]:
    """Yield learning rates that are below half a unit of a typical weight."""
    least = half_unit_in_last_place()
    for view in run.trainers:
        updates = view.system.facts.bfloat16_without_masters(view)
        rate = updates.rate.value if updates and updates.rate else None
        if updates and isinstance(rate, (int, float)) and 0 < rate < least:
            yield Contradiction(
                says=f"bfloat16 weights without float32 master weights, with a learning rate of {rate:g}",
                settings=(updates.rate, updates.dtype),
                severity="warning",
                effect=f"silent: an update below {least:.1e} of a weight of {_WEIGHT:g} is rounded away",
                help="use float32 weights under bfloat16 autocast, or an optimizer with stochastic rounding",
            )
