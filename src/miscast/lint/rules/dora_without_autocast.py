"""DoRA mixes float32 with half weights where autocast is off.

## What
`lora_decompose` is on, and either every dtype of an OneTrainer model is the same half, or its base is FLOAT_8.

## Why
DoRA computes the norm of base and adapter together, in float32; without autocast the products that follow get
operands of two dtypes. A float8 base takes part in no addition at all.

## Example
    "training_method": "LORA", "lora_decompose": true,
    "train_dtype": "BFLOAT_16", "unet": {"weight_dtype": "BFLOAT_16"}, …

## Use instead
    "lora_weight_dtype": "FLOAT_32"

## Fix safety
Safe for a uniform half: the adapter in float32 keeps autocast on.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction, replaced
from ..run import Run
from ..systems import onetrainer
from ..view import View


def find(run: Run) -> Iterator[Contradiction]:
    """DoRA on a uniform half model, and on a float8 base."""
    view = run.view("onetrainer")
    if (
        not view
        or not view.on("lora_decompose")
        or view.text("training_method") != "lora"
    ):
        return
    if onetrainer.uniform(view) in onetrainer.HALF:
        yield _uniform(view)
    for part in onetrainer.parts(view):
        if part.dtype == "FLOAT_8" and part.name in ("unet", "prior", "transformer"):
            yield Contradiction(
                says=f"lora_decompose (DoRA) on a FLOAT_8 {part.name}",
                settings=(view.given("lora_decompose"), part.by),
                effect="RuntimeError: Promotion for Float8 Types is not supported",
                help=f'set {part.name}.weight_dtype to "BFLOAT_16", or lora_decompose to false',
            )


def _uniform(view: View) -> Contradiction:
    dtype = onetrainer.uniform(view)
    half = "Half" if dtype == "FLOAT_16" else "BFloat16"
    lora = view.given("lora_weight_dtype")
    return Contradiction(
        says=f"lora_decompose (DoRA) with every dtype {dtype}: autocast may be off",
        settings=(view.given("lora_decompose"), view.given("train_dtype"), lora),
        severity="warning",
        effect=f"RuntimeError: self and mat2 must have the same dtype, but got {half} and Float{onetrainer.UNTIL}",
        help='set lora_weight_dtype to "FLOAT_32"',
        edit=replaced(lora, '"FLOAT_32"'),
        safe=True,
    )
