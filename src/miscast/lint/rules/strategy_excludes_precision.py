"""A strategy does not take the precision.

## What
Lightning's `ModelParallelStrategy` with a precision other than 32-true, bf16-mixed, bf16-true and 16-true.

## Why
The strategy has no grad scaler, and no double precision.

## Example
    Trainer(strategy=ModelParallelStrategy(), precision="16-mixed")

## Use instead
    Trainer(strategy=ModelParallelStrategy(), precision="bf16-mixed")

## Fix safety
Not safe: bfloat16 has fewer digits than float16.
"""

from __future__ import annotations

from ..conflict import Conflict
from ..run import Run
from ..setting import Unknown
from ..systems import lightning
from ..view import View

_TAKEN = ("32-true", "bf16-mixed", "bf16-true", "16-true")


def _excluded(view: View, _: Run) -> bool:
    value = view.get("strategy")
    text = value.text if isinstance(value, Unknown) else str(value)
    chosen = lightning.precision(view)
    known = chosen in (*lightning.NAMES.values(), "transformer-engine", "transformer-engine-float16", *_TAKEN)
    return "ModelParallel" in text and known and chosen not in _TAKEN


CONFLICTS = (
    Conflict(
        system="lightning",
        keys=("precision", "strategy"),
        when=_excluded,
        says="ModelParallelStrategy does not take precision {0}",
        effect="ValueError: The `ModelParallelStrategy` does not support `Fabric(..., "
        "precision={0!r})`. Choose a different "
        "precision among: 32-true, bf16-mixed, bf16-true, 16-true.",
        help="use bf16-mixed, or 32-true",
        source="lightning/pytorch/trainer/connectors/accelerator_connector.py, 2.6.6",
    ),
)
