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

from ..contradiction import Contradiction
from ..run import Run
from ..systems import onetrainer, simpletuner

_LOST = "silent: what a step adds to the average is rounded away"


def find(run: Run) -> Iterator[Contradiction]:
    """Moving averages of half weights."""
    yield from _simpletuner(run)
    view = run.view("onetrainer")
    averages = view and view.text("ema") not in ("off", "")
    trained = (
        [part for part in onetrainer.parts(view) if part.trained and part.half]
        if averages
        else []
    )
    for part in trained[:1]:
        yield Contradiction(
            says=f"ema averages {part.name}, whose weights are {part.dtype}",
            settings=(view.given("ema"), part.by),
            severity="warning",
            effect=_LOST,
            help=f'set the weight dtype of {part.name} to "FLOAT_32"',
        )


def _simpletuner(run: Run) -> Iterator[Contradiction]:
    view = run.view("simpletuner")
    if (
        view
        and view.on("use_ema")
        and view.at("model_type", "full")
        and simpletuner.half(view)
    ):
        yield Contradiction(
            says=f"use_ema averages weights of {simpletuner.half(view)} in their own dtype",
            settings=(view.given("use_ema"), view.given("mixed_precision")),
            severity="warning",
            effect=_LOST,
            help="set use_ema to false, or average in float32 in code",
        )
