"""A moving average of weights is kept in half precision.

## What
OneTrainer's `ema` with trained half weights; SimpleTuner's `use_ema` with `model_type` full and half weights, whose
average it clones from the weights as they are.

## Why
With a decay of 0.999, each step adds a thousandth of a difference: below half a unit in the last place of bfloat16
nothing is added, and the average stays where it began.

## Example
    "ema": "GPU", "unet": {"weight_dtype": "BFLOAT_16"}

## Use instead
    "ema": "GPU", "unet": {"weight_dtype": "FLOAT_32"}

## Fix safety
Safe: float32 weights hold every half number.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...finding import Finding, Fix
from ..conflict import tell
from ..run import Run
from ..systems import onetrainer, simpletuner

_LOST = "silent: what a step adds to the average is rounded away"


def find(run: Run) -> Iterator[Finding]:
    """Moving averages of half weights."""
    yield from _simpletuner(run)
    view = run.view("onetrainer")
    if not view or view.text("ema") in ("off", ""):
        return
    for part, (value, setting) in onetrainer.weights(view).items():
        if onetrainer.trains(view, part) and value in onetrainer.HALF:
            yield tell(
                "average-in-half",
                f"ema averages {part}, whose weights are {value}",
                [s for s in (view.given("ema"), setting) if s],
                severity="warning",
                effect=_LOST,
                fixes=(Fix(title=f'set the weight dtype of {part} to "FLOAT_32"'),),
            )
            return


def _simpletuner(run: Run) -> Iterator[Finding]:
    view = run.view("simpletuner")
    if view and view.on("use_ema") and view.at("model_type", "full") and simpletuner.half(view):
        yield tell(
            "average-in-half",
            f"use_ema averages weights of {simpletuner.half(view)} in their own dtype",
            [s for s in map(view.given, ("use_ema", "mixed_precision")) if s],
            severity="warning",
            effect=_LOST,
            fixes=(Fix(title="set use_ema to false, or average in float32 in code"),),
        )
